// Routes of Artifacts.

import {
  type Artifact,
  api,
  type BodyOf,
  type Fingerprint,
  fingerprintOf,
  isFilename,
  isMediaType,
  MAX_EMBEDDABLE_BYTES,
  MAX_RECEIPT_WAIT_SECONDS,
  MAX_WAIT_SECONDS,
  type ManifestResult,
  RegistryError,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import {
  assetUrls,
  awaitArtifact,
  listArtifacts,
  readArtifact,
  setContentVisibility,
} from '../../../domain/artifacts/artifacts.js';
import { createArtifact } from '../../../domain/artifacts/createArtifact.js';
import type { ClientHashes, SignedCopy } from '../../../domain/artifacts/creationRequest.js';
import { createSignedCopy } from '../../../domain/artifacts/signedCopies.js';
import type { Caller, Reader } from '../../../domain/caller.js';
import { awaitLogState, readLastAnchor, readReceipt } from '../../../domain/log/receipts.js';
import type { Ports, WaitOptions } from '../../../domain/ports/index.js';
import { FairLimit } from '../../../workers/fairLimit.js';
import type { CallOrigin } from '../../callOrigin.js';
import { definedFields } from '../../definedFields.js';
import { acceptsOnlyImages } from '../../responses/contentNegotiation.js';
import { preferenceHeaders } from '../../responses/preferenceHeaders.js';
import { BinaryResponse, type Router } from '../../router.js';
import type { UploadLimits } from '../../uploads/uploads.js';

/** Files up to this size are inspected, and images get a manifest embedded: hardly any image or recording is larger. */
const MAX_INSPECTED_BYTES = MAX_EMBEDDABLE_BYTES;
/** Time to process a complete upload: more than the time limits of all steps together. */
const PROCESSING_MS = 120_000;
/**
 * Signed copies. They wait here, before a draft of their registration begins that would count as abandoned after 30 seconds;
 * two are as many as can be in memory while they are written.
 */
const embeddingBudget = {
  name: 'embedding',
  maxRunning: 2,
  /** So that another client's image never waits for those of one client alone. */
  maxRunningPerClient: 1,
  maxWaiting: 64,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  /** A crafted image of the largest size takes ten seconds. */
  maxWaitMs: 60_000,
};

/** Creations. All of a client together wait for no others but those of the workers and of the database that they use. */
const creationBudget = {
  name: 'creations',
  maxRunning: Number.POSITIVE_INFINITY,
  /** As many as keep the workers and the database busy, which share their work. */
  maxRunningPerClient: 8,
  maxRunningAlone: 32,
  /** A waiting one has received its file, of which a few are in memory. */
  maxWaiting: 4_000,
  maxWaitingPerClient: 1_000,
  maxWaitingPerLane: 1_000,
};

/** Time to respond after the longest wait for a status. */
const AFTER_WAIT_MS = 20_000;

export interface UploadOptions {
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

export function artifactRoutes(route: Router, ports: Ports, options: UploadOptions): void {
  creationRoutes(route, ports, options);
  const waitLimits = { timeoutMs: MAX_WAIT_SECONDS * 1000 + AFTER_WAIT_MS };
  const waitOptions = ({ giveWay }: CallOrigin, { wait = 0 }: { wait?: number }) => ({ waitMs: wait * 1000, giveWay });
  const read = (reader: Reader, fingerprint: Fingerprint, options: WaitOptions) =>
    options.waitMs > 0 ? awaitArtifact(ports, reader, fingerprint, options) : readArtifact(ports, reader, fingerprint);
  route(
    api.getArtifact,
    ({ caller, params, query }, origin) => read(caller, params.fingerprint, waitOptions(origin, query)),
    waitLimits,
  );
  route(
    api.getPublicArtifact,
    async ({ params, query }, origin) => {
      const artifact = await read(undefined, params.fingerprint, waitOptions(origin, query));
      const { aiPreferences, fingerprint, status } = artifact;
      const page = `${ports.baseUrl}/artifacts/${fingerprint}`;
      if (status !== 'failed') origin.setHeaders(preferenceHeaders(aiPreferences, page));
      return artifact;
    },
    waitLimits,
  );
  route(
    api.getReceipt,
    ({ caller, params, query }, origin) => readReceipt(ports, caller, params.fingerprint, waitOptions(origin, query)),
    waitLimits,
  );
  route(
    api.getPublicReceipt,
    ({ params, query }, origin) => readReceipt(ports, undefined, params.fingerprint, waitOptions(origin, query)),
    waitLimits,
  );
  route(api.getLastAnchor, () => readLastAnchor(ports));
  route(api.setContentVisibility, ({ caller, params, body }) =>
    setContentVisibility(ports, caller, params.fingerprint, body.contentVisibility),
  );
  route(api.listArtifacts, ({ caller, params, query }) => listArtifacts(ports, caller, params.markId, query));
  route(api.listPublicArtifacts, ({ params, query }) => listArtifacts(ports, undefined, params.markId, query));
}

/** Routes that register files and sign copies of them. */
function creationRoutes(route: Router, ports: Ports, { maxUploadBytes, requestMs }: UploadOptions): void {
  const limits = {
    timeoutMs: requestMs + PROCESSING_MS,
    takesNoTurn: true,
    upload: { maxBytes: maxUploadBytes, maxBufferedBytes: MAX_INSPECTED_BYTES },
  };
  const withEmbedding = (needsWhole: NonNullable<UploadLimits['needsWhole']>) => ({
    ...limits,
    upload: { ...limits.upload, needsWhole },
  });
  const creations = new FairLimit(creationBudget);
  const embedding = new FairLimit(embeddingBudget);
  const signedCopyResponse = ({ mediaType, bytes }: SignedCopy, { id }: Pick<Artifact, 'id'>, path: string) =>
    new BinaryResponse(mediaType, bytes, {
      location: `${ports.baseUrl}${path}`,
      link: `<${assetUrls(ports, id).manifestUrl}>; rel="c2pa-manifest"`,
    });

  route(
    api.createArtifact,
    async ({ caller, body, file, headers }, origin) => {
      const { markId, fingerprint, filename } = body;
      const optional = {
        ...optionalFields(body),
        ...definedFields({ file, idempotencyKey: headers['idempotency-key'] }),
      };
      const create = () => createArtifact(ports, caller, { markId, fingerprint, filename, ...optional });
      const { artifact } = await origin.runInTurn(creations, create);
      return withLogState(ports, caller, artifact, receiptWait(headers.prefer, origin));
    },
    limits,
  );

  route(
    api.createManifest,
    async ({ caller, body, file, headers }, origin) => {
      const fingerprint = body.fingerprint ?? (file && fingerprintOf(file.digest));
      if (!fingerprint) throw new RegistryError('BAD_REQUEST', 'The form has no file.');
      const embed = acceptsOnlyImages(headers.accept);
      const request = {
        ...optionalFields(body, file?.mediaType),
        markId: body.markId,
        fingerprint,
        filename: body.filename ?? filenameOf(file),
        ...definedFields({ file, idempotencyKey: headers['idempotency-key'] }),
        embed,
      };
      const create = () => createArtifact(ports, caller, request);
      const { artifact, image } = await origin.runInTurn(embed ? embedding : creations, create);
      if (!image) {
        return toManifestResult(await withLogState(ports, caller, artifact, receiptWait(headers.prefer, origin)));
      }
      return signedCopyResponse(image, artifact, `/api/c2pa/manifests/${artifact.id}`);
    },
    withEmbedding(({ headers }) => acceptsOnlyImages(headers.accept)),
  );

  route(
    api.createSignedCopy,
    async ({ caller, params, file }, origin) => {
      const { artifact, image } = await origin.runInTurn(embedding, () =>
        createSignedCopy(ports, caller, params.fingerprint, file),
      );
      return signedCopyResponse(image, artifact, `/api/v1/artifacts/${artifact.fingerprint}`);
    },
    withEmbedding(() => true),
  );
}

/** With the receipt, if the client waits for it and it is ready in time. */
async function withLogState(ports: Ports, caller: Caller, artifact: Artifact, options: WaitOptions): Promise<Artifact> {
  if (options.waitMs === 0) return artifact;
  return { ...artifact, log: await awaitLogState(ports, caller, artifact, options) };
}

function receiptWait(prefer: string | undefined, { giveWay }: CallOrigin): WaitOptions {
  return { waitMs: Math.min(readWaitPreference(prefer), MAX_RECEIPT_WAIT_SECONDS) * 1000, giveWay };
}

/** `wait` of a `Prefer` header (RFC 7240); 0 without a valid one. */
function readWaitPreference(prefer = ''): number {
  const [, seconds = '0'] = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[;,]|$)/i.exec(prefer) ?? [];
  return Number(seconds);
}

type OptionalFields = Pick<
  BodyOf<typeof api.createArtifact>,
  | 'mediaType'
  | 'size'
  | 'lastModified'
  | 'previousFingerprint'
  | 'digitalSourceType'
  | 'authorshipStated'
  | keyof ClientHashes
>;

/** The optional fields that are given, each by its name: unknown fields of a manifest's body are ignored. */
export function optionalFields(body: OptionalFields, partType?: string) {
  const { size, lastModified, previousFingerprint, digitalSourceType, authorshipStated } = body;
  const { pHash, dHash, pHashCenter90, pHashCenter80, chromaprint } = body;
  const mediaType = body.mediaType ?? (partType !== undefined && isMediaType(partType) ? partType : undefined);
  const hashes = definedFields({ pHash, dHash, pHashCenter90, pHashCenter80, chromaprint });
  const codes = Object.keys(hashes).length > 0 ? hashes : undefined;
  const facts = { mediaType, size, lastModified, previousFingerprint, digitalSourceType, authorshipStated };
  return definedFields({ ...facts, codes });
}

function filenameOf(file: { name: string | undefined } | undefined): string {
  const name = file?.name || 'file';
  if (!isFilename(name)) throw new RegistryError('BAD_REQUEST', 'The filename is not valid.');
  return name;
}

function toManifestResult(artifact: Artifact): ManifestResult {
  const { id, fingerprint, status, transactionHash, createdAt, c2paAssets, similarTo, log } = artifact;
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = c2paAssets;
  return {
    manifestId: id,
    fingerprint,
    softBinding: { alg: SOFT_BINDING_ALGORITHM, value: softBindingValue(fingerprint) },
    manifestUrl,
    manifestBinaryUrl,
    signedAssetUrl,
    status,
    transactionHash,
    createdAt,
    ...definedFields({ similarTo, log }),
  };
}
