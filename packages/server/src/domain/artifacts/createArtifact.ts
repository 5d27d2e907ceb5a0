// Creating an Artifact, in five steps: authorize, prepare, sign, publish, record.

import { randomUUID } from 'node:crypto';
import {
  type Artifact,
  digestOf,
  explicitAiPreferences,
  type Fingerprint,
  fingerprintOf,
  manifestHashOf,
  RegistryError,
} from '@provenance-registry/core';
import type { Caller } from '../caller.js';
import { hashManifest, type LoggedRegistration, registrationEntry } from '../log/leaves.js';
import { findSimilar } from '../lookups/lookalikes.js';
import { requireWriteAccess, requireWriteAccessAgain } from '../marks/marks.js';
import type {
  Draft,
  EmbeddableType,
  EmbeddedManifest,
  MediaFacts,
  NewArtifact,
  Ports,
  RecordResult,
  StoredArtifact,
  WritableMark,
} from '../ports/index.js';
import { requireActive } from '../tiers.js';
import { DRAFT_RENEWAL_MS, undoUnlessRecorded } from './abandonedDrafts.js';
import {
  createManifestFiles,
  describeFile,
  embedManifest,
  findEmbeddableType,
  inspectManifest,
  sidecarOf,
} from './artifactManifest.js';
import { buildMetadata, requireUsableCodes } from './artifactMetadata.js';
import { artifactQuota, findBillingUser, quotaError, quotaOwnerId, readBillingUser } from './artifactQuota.js';
import { toArtifactView } from './artifacts.js';
import type { Creation, CreationRequest, SignedCopy } from './creationRequest.js';
import { findFirstResponse, newIdempotencyRecord } from './idempotency.js';
import { addSignedCopy, newSignedCopy, type SignedCopyFacts } from './signedCopies.js';

/** What the creations of a batch share. */
export interface CreationGroup {
  /** Runs the signing of one of them when it is its turn. */
  readonly limitSigning: <T>(sign: () => Promise<T>) => Promise<T>;
  /** Resolves when all others have come as far, or are slow: what they do next, they do together. */
  readonly waitForOthers: () => Promise<void>;
  /** Resolves when the event loop has served other requests. */
  readonly yieldToOthers: () => Promise<void>;
}

const alone: CreationGroup = {
  limitSigning: (sign) => sign(),
  waitForOthers: async () => {},
  yieldToOthers: async () => {},
};

export async function createArtifact(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  { limitSigning, waitForOthers, yieldToOthers }: CreationGroup = alone,
): Promise<Creation> {
  requireMatchingFile(request);
  const { tracer } = ports;
  const authorized = await tracer.span('authorize', () => requireWriteAccess(ports.store, caller, request.markId));
  const prepared = await tracer.span('prepare', () => prepare(ports, caller, request, authorized));
  try {
    requireUsableCodes(ports, request, prepared.mark);
    return await runUnderDraft(ports, prepared, async (draft) => {
      const signed = await limitSigning(() => tracer.span('sign', () => sign(ports, prepared, draft)));
      await waitForOthers();
      await tracer.span('publish', () => publish(ports, signed, draft));
      await waitForOthers();
      await tracer.span('record', () => record(ports, prepared, signed, yieldToOthers));
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

interface PreparedCreation extends WritableMark {
  readonly caller: Caller;
  readonly request: CreationRequest;
  readonly media: MediaFacts;
  /** The manifest inside the file. */
  readonly parent: EmbeddedManifest | undefined;
  /** Set when the response is the image with its manifest embedded. */
  readonly imageType: EmbeddableType | undefined;
}

/** Step 2: what kind of file it is, and which history it carries. */
async function prepare(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  writable: WritableMark,
): Promise<PreparedCreation> {
  const { file, mediaType, embed } = request;
  const { mark } = writable;
  const media = await ports.media.inspect(file?.bytes, mediaType, {
    isWhole: file?.isWhole ?? false,
    client: caller.user.id,
  });
  const imageType = embed ? findEmbeddableType(ports, file, media) : undefined;
  const parent = await inspectManifest(ports, caller, mark, file, media);
  return { ...writable, caller, request, media, parent, imageType };
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
  if (!(await ports.store.drafts.begin(draft))) throw await duplicateError(ports, request);
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
  readonly image: SignedCopy | undefined;
  readonly signedCopy: SignedCopyFacts | undefined;
  /** What the public log says about it. */
  readonly logged: Omit<LoggedRegistration, 'kind' | 'fingerprint' | 'isMarkPrivate'>;
}

/** Step 3: the manifest with its files, and the image with the manifest embedded if it was requested. */
async function sign(ports: Ports, prepared: PreparedCreation, { artifactId }: Draft): Promise<SignedArtifact> {
  const { caller, request, mark, media, parent, imageType } = prepared;
  const { file, fingerprint } = request;
  const metadata = buildMetadata(request, media, mark, caller);
  const aiPreferences = explicitAiPreferences(mark.aiPreferences);
  const statements = await describeFile(ports, prepared, { metadata, aiPreferences });
  const [similarTo, files, image] = await Promise.all([
    findSimilar(ports, mark.id, metadata),
    createManifestFiles(ports, caller, {
      artifactId,
      fingerprint: digestOf(fingerprint),
      ...(file && { digest: file.digest }),
      ...statements,
      // Its manifests may name author, title and more, which files published under a private Mark do not.
      ...(parent && mark.visibility === 'public' && { parent }),
    }),
    file && imageType ? embedManifest(ports, file, imageType, { ...statements, ...(parent && { parent }) }) : undefined,
  ]);
  const createdAt = ports.clock();
  const signedCopy = image && (await newSignedCopy(image));
  const stored: StoredArtifact = {
    id: artifactId,
    markId: mark.id,
    fingerprint,
    manifestHash: manifestHashOf(metadata),
    status: 'pending',
    errorReason: null,
    transactionHash: null,
    metadata,
    contentPrivate: false,
    createdBy: { id: caller.user.id, name: caller.user.name },
    createdAt,
    renditions: signedCopy ? [{ ...signedCopy, status: 'pending', transactionHash: null, createdAt }] : [],
    authorshipStated: request.authorshipStated ?? false,
    aiPreferences,
    domainsAtRegistration: prepared.confirmedDomains,
    claims: { contested: false, open: 0, checked: 0, supersededBy: null },
  };
  // As it will be read afterwards.
  const counted = { ...mark, artifactCount: mark.artifactCount + 1 };
  const artifact = {
    ...toArtifactView(ports, stored, counted, true),
    ...(similarTo.length > 0 && { similarTo }),
    log: { status: 'pending' as const },
  };
  const logged = {
    artifactId,
    markId: mark.id,
    metadata,
    aiPreferences,
    manifest: hashManifest(sidecarOf(files, artifactId)),
    manifestHash: stored.manifestHash,
    createdAt,
  };
  return { stored, artifact, files, image, signedCopy, logged };
}

/** Step 4. Published files without an Artifact are removed with their draft, so the draft must not look abandoned. */
async function publish(ports: Ports, { files }: SignedArtifact, draft: StartedDraft): Promise<void> {
  const needsRenewal = ports.clock().getTime() - draft.startedAt > DRAFT_RENEWAL_MS;
  if (needsRenewal && !(await ports.store.drafts.begin(draft))) throw await duplicateError(ports, draft);
  await ports.files.publish(files);
}

/** Step 5: the Artifact counts, is found, and waits for the chain; the signed image with it. */
async function record(
  ports: Ports,
  prepared: PreparedCreation,
  signed: SignedArtifact,
  yieldToOthers: CreationGroup['yieldToOthers'],
): Promise<void> {
  const { caller, request, mark } = prepared;
  const { stored, artifact, signedCopy, logged } = signed;
  const { id, createdAt, metadata, fingerprint, authorshipStated, aiPreferences } = stored;
  let { accessVersion } = prepared;
  let { visibility } = mark;
  let billingUser = await findBillingUser(ports, caller, mark);
  for (;;) {
    if (mark.organization) await requireActive(ports.store, mark.organization.id);
    const quota = artifactQuota(ports, mark, billingUser);
    const log = { ...logged, isMarkPrivate: visibility === 'private' };
    await yieldToOthers();
    const result = await recordOnce(ports, {
      id,
      markId: mark.id,
      createdBy: caller.user.id,
      accessVersion,
      visibility,
      createdAt,
      fingerprint,
      manifestHash: stored.manifestHash,
      metadata,
      authorshipStated,
      aiPreferences,
      logEntry: registrationEntry({ ...log, kind: 'artifact', fingerprint }),
      ...(signedCopy && {
        signedCopy: {
          ...signedCopy,
          logEntry: registrationEntry({ ...log, kind: 'rendition', fingerprint: signedCopy.fingerprint }),
        },
      }),
      ...(artifact.similarTo && {
        similarTo: artifact.similarTo.map((one) => ({ fingerprint: one.fingerprint, markId: one.mark.id })),
      }),
      idempotency: newIdempotencyRecord(caller, request, artifact, createdAt),
      traceContext: ports.tracer.currentContext(),
      quota,
    });
    if (result === 'recorded') break;
    if (result === 'abandoned') throw new RegistryError('UNAVAILABLE', 'The creation took too long.');
    if (result === 'quotaExceeded') throw await quotaError(ports, quota, createdAt);
    if (result !== 'tierChanged' && result !== 'accessChanged') throw await duplicateError(ports, request);
    // Another tier or owner has other limits, and may have frozen the organization; the caller may have lost access.
    const writable = await requireWriteAccessAgain(ports.store, caller, mark.id);
    ({ accessVersion } = writable);
    ({ visibility } = writable.mark);
    billingUser = await readBillingUser(ports, mark);
  }
  ports.work.announce();
}

async function recordOnce(ports: Ports, artifact: NewArtifact): Promise<RecordResult> {
  try {
    return await ports.store.artifacts.record(artifact);
  } catch (error) {
    if (await undoUnlessRecorded(ports, artifact.id)) return 'recorded';
    throw error;
  }
}

/** Serves a retry with the same idempotency key. The image was not kept: a retry that requests it gets another one. */
async function repeatFirstResponse(ports: Ports, prepared: PreparedCreation, error: unknown): Promise<Creation> {
  const { caller, request, parent, imageType } = prepared;
  const isRepeatable = error instanceof RegistryError && error.code !== 'FORBIDDEN';
  const response = isRepeatable ? await findFirstResponse(ports, caller, request) : undefined;
  if (!response) throw error;
  if (!request.file || !imageType) return { artifact: response };
  const artifact = await ports.store.artifacts.findById(response.id);
  if (!artifact || artifact.status === 'failed') {
    throw new RegistryError('CONFLICT', 'The Artifact of this idempotency key has failed. Use another key.');
  }
  return {
    artifact: response,
    image: await addSignedCopy(ports, caller, artifact, prepared, request.file, imageType, parent),
  };
}

function toCreation(artifact: Artifact, image: SignedCopy | undefined): Creation {
  return { artifact, ...(image && { image }) };
}

async function duplicateError(
  { store }: Ports,
  { fingerprint }: { readonly fingerprint: Fingerprint },
): Promise<RegistryError> {
  const holder = await store.artifacts.find(fingerprint);
  if (!holder || holder.status === 'failed') {
    const entry = await store.lookups.findHolder(fingerprint);
    if (entry?.kind === 'chain') {
      return new RegistryError(
        'CONFLICT',
        'This fingerprint is on chain already, under an Artifact that is not known here.',
      );
    }
  }
  const isSignedCopy = holder !== undefined && holder.fingerprint !== fingerprint;
  return new RegistryError(
    'CONFLICT',
    isSignedCopy
      ? 'This file is a signed copy of a file that has an Artifact already.'
      : 'This fingerprint has an Artifact already.',
  );
}
