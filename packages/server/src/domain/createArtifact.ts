// Creating an Artifact, in five steps: authorize, prepare, sign, publish, record.

import { randomUUID } from 'node:crypto';
import { type Artifact, fingerprintOf, type Mark, manifestHashOf, RegistryError } from '@provenance-registry/core';
import { DRAFT_RENEWAL_MS, undoUnlessRecorded } from './abandonedDrafts.js';
import { createManifestFiles, embedManifest, findEmbeddableType } from './artifactManifest.js';
import { buildMetadata } from './artifactMetadata.js';
import { artifactQuota, findBillingUser, quotaError, quotaOwnerId, readBillingUser } from './artifactQuota.js';
import { toArtifactView } from './artifacts.js';
import { type Caller, requireOwnOrganization } from './caller.js';
import type { Creation, CreationRequest, SignedImage } from './creationRequest.js';
import { findFirstResponse, newIdempotencyRecord } from './idempotency.js';
import { findMark, mayWrite } from './marks.js';
import type {
  Draft,
  EmbeddableType,
  MediaFacts,
  NewArtifact,
  Ports,
  RecordResult,
  StoredArtifact,
} from './ports/index.js';
import { requireActive } from './tiers.js';

export async function createArtifact(ports: Ports, caller: Caller, request: CreationRequest): Promise<Creation> {
  requireMatchingFile(request);
  const { tracer } = ports;
  const mark = await tracer.span('authorize', () => authorize(ports, caller, request));
  const prepared = await tracer.span('prepare', () => prepare(ports, caller, request, mark));
  try {
    return await runUnderDraft(ports, prepared, async (draft) => {
      const signed = await tracer.span('sign', () => sign(ports, prepared, draft));
      await tracer.span('publish', () => publish(ports, signed, draft));
      await tracer.span('record', () => record(ports, prepared, signed));
      return toCreation(signed.artifact, signed.image);
    });
  } catch (error) {
    return repeatFirstResponse(ports, prepared, error);
  }
}

function requireMatchingFile({ file, fingerprint, size }: CreationRequest): void {
  if (!file) return;
  if (fingerprintOf(file.digest) !== fingerprint) {
    throw new RegistryError('BAD_REQUEST', 'The file does not have this fingerprint.');
  }
  if (size !== undefined && size !== file.size) {
    throw new RegistryError('BAD_REQUEST', 'The file does not have this size.');
  }
}

/** Step 1: the Mark, if the caller may write under it. */
async function authorize(ports: Ports, caller: Caller, { markId }: CreationRequest): Promise<Mark> {
  const mark = await findMark(ports.store, markId);
  requireOwnOrganization(caller, mark.organization?.id);
  if (!(await mayWrite(ports.store, caller, mark))) {
    throw new RegistryError('FORBIDDEN', 'You may not write under this Mark.');
  }
  return mark;
}

interface PreparedCreation {
  readonly caller: Caller;
  readonly request: CreationRequest;
  readonly mark: Mark;
  readonly media: MediaFacts;
  /** Set when the response is the image with its manifest embedded. */
  readonly imageType: EmbeddableType | undefined;
}

/** Step 2: what kind of file it is. */
async function prepare(ports: Ports, caller: Caller, request: CreationRequest, mark: Mark): Promise<PreparedCreation> {
  const { file, mediaType, embed } = request;
  const media = await ports.media.inspect(file?.bytes ?? new Uint8Array(), mediaType, {
    isWhole: file?.isWhole ?? false,
    client: caller.user.id,
  });
  const imageType = embed ? findEmbeddableType(ports, file, media) : undefined;
  return { caller, request, mark, media, imageType };
}

type StartedDraft = Draft & { readonly startedAt: number };

/** While a draft exists, the creation can be undone by any process, should this one die. */
async function runUnderDraft<T>(
  ports: Ports,
  { request, mark }: PreparedCreation,
  create: (draft: StartedDraft) => Promise<T>,
): Promise<T> {
  const draft = {
    artifactId: randomUUID(),
    fingerprint: request.fingerprint,
    ownerId: quotaOwnerId(mark),
    startedAt: ports.clock().getTime(),
  };
  // Checked again when the Artifact is recorded; this saves the signatures of most duplicates.
  if (!(await ports.store.drafts.begin(draft))) throw duplicateFingerprintError();
  try {
    return await create(draft);
  } catch (error) {
    await undoUnlessRecorded(ports, draft.artifactId);
    throw error;
  }
}

interface SignedArtifact {
  readonly stored: StoredArtifact;
  readonly artifact: Artifact;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly image: SignedImage | undefined;
}

/** Step 3: the manifest with its files, and the image with the manifest embedded if it was requested. */
async function sign(ports: Ports, prepared: PreparedCreation, { artifactId }: Draft): Promise<SignedArtifact> {
  const { caller, request, mark, media, imageType } = prepared;
  const metadata = buildMetadata(request, media, mark, caller);
  const [files, image] = await Promise.all([
    createManifestFiles(ports, caller, request, mark, artifactId),
    embedManifest(ports, caller, request, mark, imageType),
  ]);
  const stored: StoredArtifact = {
    id: artifactId,
    markId: mark.id,
    fingerprint: request.fingerprint,
    status: 'pending',
    errorReason: null,
    transactionHash: null,
    metadata,
    contentPrivate: false,
    createdBy: { id: caller.user.id, name: caller.user.name },
    createdAt: ports.clock(),
    renditions: [],
  };
  return { stored, artifact: toArtifactView(ports, stored, mark, true), files, image };
}

/** Step 4. Published files without an Artifact are removed with their draft, so the draft must not look abandoned. */
async function publish(ports: Ports, { files }: SignedArtifact, draft: StartedDraft): Promise<void> {
  const needsRenewal = ports.clock().getTime() - draft.startedAt > DRAFT_RENEWAL_MS;
  if (needsRenewal && !(await ports.store.drafts.begin(draft))) throw duplicateFingerprintError();
  await ports.files.publish(files);
}

/** Step 5: the Artifact counts, is found, and waits for the chain. */
async function record(ports: Ports, prepared: PreparedCreation, { stored, artifact }: SignedArtifact): Promise<void> {
  const { caller, request, mark } = prepared;
  const { id, createdAt, metadata, fingerprint } = stored;
  let billingUser = await findBillingUser(ports, caller, mark);
  for (;;) {
    if (mark.organization) await requireActive(ports.store, mark.organization.id);
    const quota = artifactQuota(ports, mark, billingUser);
    const result = await recordOnce(ports, {
      id,
      markId: mark.id,
      createdBy: caller.user.id,
      createdAt,
      fingerprint,
      manifestHash: manifestHashOf(metadata),
      metadata,
      idempotency: newIdempotencyRecord(caller, request, artifact, createdAt),
      traceContext: ports.tracer.currentContext(),
      quota,
    });
    if (result === 'recorded') break;
    if (result === 'abandoned') throw new RegistryError('UNAVAILABLE', 'The creation took too long.');
    if (result === 'quotaExceeded') throw await quotaError(ports, quota, createdAt);
    if (result !== 'tierChanged') throw duplicateFingerprintError();
    // Another tier has other limits, and may have frozen the organization.
    billingUser = await readBillingUser(ports, billingUser.id);
  }
  ports.chain.wake();
}

async function recordOnce(ports: Ports, artifact: NewArtifact): Promise<RecordResult> {
  try {
    return await ports.store.artifacts.record(artifact);
  } catch (error) {
    if (await undoUnlessRecorded(ports, artifact.id)) return 'recorded';
    throw error;
  }
}

/** For a retry with the same idempotency key. The image was not kept, and is signed again. */
async function repeatFirstResponse(ports: Ports, prepared: PreparedCreation, error: unknown): Promise<Creation> {
  const { caller, request, mark, imageType } = prepared;
  const response = error instanceof RegistryError ? await findFirstResponse(ports, caller, request) : undefined;
  if (!response) throw error;
  return toCreation(response, await embedManifest(ports, caller, request, mark, imageType));
}

function toCreation(artifact: Artifact, image: SignedImage | undefined): Creation {
  return { artifact, ...(image && { image }) };
}

function duplicateFingerprintError(): RegistryError {
  return new RegistryError('CONFLICT', 'This fingerprint has an Artifact already.');
}
