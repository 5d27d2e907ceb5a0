// Creating an Artifact: signed and published first, recorded last. Whatever goes wrong before that, or instead of it,
// is undone; a process that dies on the way leaves a draft behind, and whoever comes next undoes that.

import { createHash, randomUUID } from 'node:crypto';
import {
  type Artifact,
  type ArtifactMetadata,
  canonicalJson,
  digestOf,
  type Fingerprint,
  fingerprintOf,
  licenses,
  type Mark,
  manifestHashOf,
  RegistryError,
  type User,
} from '@provenance-registry/core';
import { ANSWERS_KEPT_MS, DRAFT_AGES_MS, recoverOrUndo } from './abandonedDrafts.js';
import { show } from './artifacts.js';
import { type Caller, confine } from './caller.js';
import { findMark, mayWrite } from './marks.js';
import type {
  EmbeddableType,
  IdempotencyRecord,
  MediaFacts,
  Ports,
  Recording,
  StatedFacts,
  StoredArtifact,
} from './ports/index.js';
import { artifactLimits, quotaError, requireActive } from './tiers.js';

export interface CreationRequest {
  readonly markId: string;
  readonly fingerprint: Fingerprint;
  readonly filename: string;
  readonly mediaType?: string;
  readonly size?: number;
  readonly lastModified?: string | number;
  readonly previousFingerprint?: Fingerprint;
  readonly file?: SentFile;
  readonly idempotencyKey?: string;
  /** The file is wanted back with its manifest inside. */
  readonly embed?: boolean;
}

export interface SentFile {
  readonly digest: Uint8Array;
  readonly size: number;
  /** The first bytes of it; all of them when they were kept. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** It is not whole because the files of others fill the memory right now. */
  readonly isCrowdedOut: boolean;
}

export interface Creation {
  readonly artifact: Artifact;
  readonly image?: { readonly mediaType: string; readonly bytes: Uint8Array };
}

export async function createArtifact(ports: Ports, caller: Caller, request: CreationRequest): Promise<Creation> {
  const { file } = request;
  checkFile(request);
  const mark = await writableMark(ports, caller, request.markId);
  const media = await ports.media.inspect(file?.bytes ?? new Uint8Array(), request.mediaType, file?.isWhole ?? false);
  const type = request.embed ? embeddableType(ports, file, media) : undefined;
  const image = () => type && embed(ports, request, type, mark, caller);
  try {
    const created = await createNew(ports, caller, request, { media, mark, image });
    return made(created.artifact, created.image);
  } catch (error) {
    // The image again, too: it was never kept.
    return made(await answerOfFirst(ports, caller, request, error), await image());
  }
}

interface Prepared {
  readonly media: MediaFacts;
  readonly mark: Mark;
  readonly image: () => Promise<Creation['image']> | undefined;
}

async function createNew(ports: Ports, caller: Caller, request: CreationRequest, prepared: Prepared) {
  const { mark } = prepared;
  const draft = { artifactId: randomUUID(), fingerprint: request.fingerprint };
  const recording = ports.recording(ownerOf(mark));
  try {
    const begunAt = ports.clock().getTime();
    // Nothing is signed for a fingerprint that is taken, as far as that can be seen now.
    if (!(await ports.store.drafts.begin(draft))) throw taken();
    let signed: Signed | undefined;
    try {
      signed = await sign(ports, caller, request, draft.artifactId, prepared);
      // Signing takes long where much is signed, and a draft that is old counts as left behind.
      const isOld = ports.clock().getTime() - begunAt > DRAFT_AGES_MS;
      if (isOld && !(await ports.store.drafts.begin(draft))) throw taken();
      await ports.files.publish(signed.files);
      await record(ports, caller, request, { ...signed, mark, recording });
    } catch (error) {
      if (!(await recoverOrUndo(ports, draft.artifactId)) || !signed) throw error;
    }
    ports.chain.wake();
    return signed;
  } finally {
    recording.leave();
  }
}

interface Signed {
  readonly stored: StoredArtifact;
  readonly artifact: Artifact;
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly image: Creation['image'] | undefined;
}

async function sign(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  id: string,
  { media, mark, image }: Prepared,
): Promise<Signed> {
  const metadata = describe(request, media, mark, caller);
  const [files, embedded] = await Promise.all([makeFiles(ports, caller, request, id, mark), image()]);
  const stored = pendingArtifact(id, ports.clock(), request, metadata, caller);
  return {
    stored,
    artifact: show(ports, stored, mark, true),
    files: { [`${id}.c2pa`]: files.sidecar, [`${id}.json`]: files.report, [`${id}.png`]: files.card },
    image: embedded,
  };
}

function checkFile({ file, fingerprint, size }: CreationRequest): void {
  if (!file) return;
  if (fingerprintOf(file.digest) !== fingerprint) {
    throw new RegistryError('BAD_REQUEST', 'The file does not have this fingerprint.');
  }
  if (size !== undefined && size !== file.size) {
    throw new RegistryError('BAD_REQUEST', 'The file does not have this size.');
  }
}

async function makeFiles(ports: Ports, caller: Caller, request: CreationRequest, artifactId: string, mark: Mark) {
  const { fingerprint, file, previousFingerprint } = request;
  const previous = await previousVersion(ports, previousFingerprint);
  const { facts, title } = manifestClaims(request, mark, caller);
  return ports.manifests.create({
    artifactId,
    fingerprint: digestOf(fingerprint),
    ...(file && { digest: file.digest }),
    ...(title !== undefined && { title }),
    facts,
    ...(previous && { previous }),
  });
}

function made(artifact: Artifact, image: Creation['image'] | undefined): Creation {
  return { artifact, ...(image && { image }) };
}

async function writableMark(ports: Ports, caller: Caller, markId: string): Promise<Mark> {
  const mark = await findMark(ports.store, markId);
  confine(caller, mark.organization?.id);
  if (!(await mayWrite(ports.store, caller, mark))) {
    throw new RegistryError('FORBIDDEN', 'You may not write under this Mark.');
  }
  return mark;
}

/** The caps, the Artifact, its place in the outbox and the answer to its key: all of it or nothing. */
async function record(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  { stored, mark, artifact, recording }: Signed & { mark: Mark; recording: ReturnType<Recording> },
): Promise<void> {
  const { id, createdAt, metadata, fingerprint } = stored;
  const { idempotencyKey: key } = request;
  for (let payer = await payerOf(ports, caller, mark); ; payer = await readPayer(ports, payer.id)) {
    if (mark.organization) await requireActive(ports.store, mark.organization.id);
    const place = {
      ownerId: ownerOf(mark),
      payerId: payer.id,
      tier: payer.tier,
      limits: artifactLimits(ports, payer.tier),
    };
    const outcome = await recording.arrive({
      place,
      id,
      markId: mark.id,
      createdBy: caller.user.id,
      createdAt,
      fingerprint,
      manifestHash: manifestHashOf(metadata),
      metadata,
      answer:
        key === undefined
          ? undefined
          : {
              callerId: caller.keyOrganizationId ?? caller.user.id,
              key,
              requestHash: hashOf(request),
              response: artifact,
              since: new Date(createdAt.getTime() - ANSWERS_KEPT_MS),
            },
    });
    if (outcome === 'recorded') return;
    if (outcome === 'abandoned') throw new RegistryError('UNAVAILABLE', 'The creation took too long.');
    if (outcome === 'full') throw await quotaError(ports, place, createdAt);
    // With another tier come other limits, and an organization may be frozen by now.
    if (outcome !== 'tierChanged') throw taken();
  }
}

/** Whose caps count it. */
function ownerOf({ organization, owner, admin }: Mark): string {
  return (organization ?? owner ?? admin).id;
}

/** The user whose tier decides. Who calls was read a moment ago, and is most often the one. */
async function payerOf(ports: Ports, caller: Caller, mark: Mark): Promise<User> {
  const { organization, owner, admin } = mark;
  if (organization && caller.keyOrganizationId === organization.id) return caller.user;
  const id = organization ? await ports.store.organizations.ownerOf(organization.id) : (owner ?? admin).id;
  return id === caller.user.id ? caller.user : await readPayer(ports, id);
}

async function readPayer({ store }: Ports, id: string | undefined): Promise<User> {
  const payer = id === undefined ? undefined : await store.users.findById(id);
  if (!payer) throw new RegistryError('NOT_FOUND', 'There is no such Mark.');
  return payer;
}

/** Who is refused because of an earlier request with the same key, or lost against one, gets that one's answer. */
async function answerOfFirst(ports: Ports, caller: Caller, request: CreationRequest, error: unknown) {
  const answered = error instanceof RegistryError ? await firstAnswer(ports, caller, request) : undefined;
  if (!answered) throw error;
  return answered;
}

async function firstAnswer(ports: Ports, caller: Caller, request: CreationRequest): Promise<Artifact | undefined> {
  const { idempotencyKey: key } = request;
  if (key === undefined) return undefined;
  const since = new Date(ports.clock().getTime() - ANSWERS_KEPT_MS);
  const callerId = caller.keyOrganizationId ?? caller.user.id;
  const answer: IdempotencyRecord | undefined = await ports.store.artifacts.firstAnswer(callerId, key, since);
  if (!answer) return undefined;
  if (answer.requestHash !== hashOf(request)) {
    throw new RegistryError('CONFLICT', 'This idempotency key was used for another request.');
  }
  // Written by this service, as it was answered.
  return answer.response as Artifact;
}

/** Of what was asked, not of how: a file counts by its fingerprint. */
function hashOf({ file: _file, idempotencyKey: _key, embed: _embed, ...asked }: CreationRequest): Fingerprint {
  return fingerprintOf(createHash('sha256').update(canonicalJson(asked)).digest());
}

async function previousVersion(ports: Ports, fingerprint: Fingerprint | undefined) {
  if (fingerprint === undefined) return undefined;
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') {
    throw new RegistryError('BAD_REQUEST', 'previousFingerprint belongs to no Artifact.');
  }
  const sidecar = await ports.files.read(`${artifact.id}.c2pa`);
  if (!sidecar) throw new RegistryError('UNAVAILABLE', 'The previous manifest cannot be read right now.');
  return { sidecar };
}

function describe(request: CreationRequest, media: MediaFacts, mark: Mark, caller: Caller): ArtifactMetadata {
  const { filename, file, lastModified, previousFingerprint } = request;
  return {
    filename,
    mediaType: media.mediaType ?? null,
    size: file?.size ?? request.size ?? null,
    kind: media.kind,
    license: licenses[mark.licenseKey],
    licenseKey: mark.licenseKey,
    allowAiTraining: mark.allowAiTraining,
    author: { id: caller.user.id, name: caller.user.name },
    mark: { id: mark.id, name: mark.name },
    ...(lastModified !== undefined && { lastModified: timeOf(lastModified) }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
    ...(media.pHash !== undefined && { pHash: media.pHash }),
    ...(media.chromaprint !== undefined && { chromaprint: media.chromaprint }),
  };
}

/** Without a zone it is UTC: where this server stands says nothing about the file. */
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

function timeOf(value: string | number): string {
  const text = String(value);
  const iso = isoTime.exec(text);
  // Forms carry numbers as text. What is neither is not guessed at, as JavaScript would.
  const zoned = iso && (iso[1] || !text.includes('T') ? text : `${text}Z`);
  const time = new Date(/^\d+$/.test(text) ? Number(text) : (zoned ?? Number.NaN));
  // Years before 0 and after 9999 would be written in a form that RFC 3339 does not know.
  if (Number.isNaN(time.getTime()) || !/^\d{4}-/.test(time.toISOString())) {
    throw new RegistryError('BAD_REQUEST', 'lastModified is not a time.');
  }
  return time.toISOString();
}

/** Under a private Mark, published files say nothing about who, what and on which terms. */
function manifestClaims(
  { filename }: CreationRequest,
  mark: Mark,
  caller: Caller,
): { facts: StatedFacts; title?: string } {
  if (mark.visibility === 'private') return { facts: { allowAiTraining: null } };
  const facts = {
    allowAiTraining: mark.allowAiTraining,
    author: { name: caller.user.name },
    mark: { id: mark.id, name: mark.name },
    licenseKey: mark.licenseKey,
  };
  return { facts, title: filename };
}

function embeddableType(ports: Ports, file: SentFile | undefined, media: MediaFacts): EmbeddableType | undefined {
  const type = ports.embedder.typeFor(media.mediaType);
  if (file && type && !file.isWhole) {
    throw file.isCrowdedOut
      ? new RegistryError('UNAVAILABLE', 'The service has too many images to embed manifests in right now.')
      : new RegistryError('PAYLOAD_TOO_LARGE', 'The image is too large to have its manifest embedded.');
  }
  return file && type;
}

async function embed(
  ports: Ports,
  { file, ...request }: CreationRequest,
  mediaType: EmbeddableType,
  mark: Mark,
  caller: Caller,
) {
  if (!file) return undefined;
  const { facts, title } = manifestClaims(request, mark, caller);
  const image = {
    mediaType,
    bytes: file.bytes,
    fingerprint: file.digest,
    facts,
    ...(title !== undefined && { title }),
  };
  const bytes = await ports.embedder.embed(image).catch((error: unknown) => {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('BAD_REQUEST', 'The image cannot be read, so no manifest can be embedded in it.', {
      cause: error,
    });
  });
  return { mediaType, bytes };
}

function pendingArtifact(
  id: string,
  createdAt: Date,
  { markId, fingerprint }: CreationRequest,
  metadata: ArtifactMetadata,
  { user }: Caller,
): StoredArtifact {
  return {
    id,
    markId,
    fingerprint,
    status: 'pending',
    errorReason: null,
    transactionHash: null,
    metadata,
    contentPrivate: false,
    createdBy: { id: user.id, name: user.name },
    createdAt,
  };
}

function taken(): RegistryError {
  return new RegistryError('CONFLICT', 'This fingerprint has an Artifact already.');
}
