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
import type { Ports } from '../../../domain/ports/index.js';
import { FairLimit } from '../../../workers/fairLimit.js';
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

/** Time to respond after the longest wait for a status. */
const AFTER_WAIT_MS = 20_000;

export interface UploadOptions {
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

export function artifactRoutes(route: Router, ports: Ports, options: UploadOptions): void {
  creationRoutes(route, ports, options);
  const waitLimits = { timeoutMs: MAX_WAIT_SECONDS * 1000 + AFTER_WAIT_MS, takesNoTurn: true };
  const read = (reader: Reader, fingerprint: Fingerprint, wait = 0) =>
    wait ? awaitArtifact(ports, reader, fingerprint, wait * 1000) : readArtifact(ports, reader, fingerprint);
  route(api.getArtifact, ({ caller, params, query }) => read(caller, params.fingerprint, query.wait), waitLimits);
  route(
    api.getPublicArtifact,
    async ({ params, query }, origin) => {
      const artifact = await read(undefined, params.fingerprint, query.wait);
      const { aiPreferences, fingerprint, status } = artifact;
      const page = `${ports.baseUrl}/artifacts/${fingerprint}`;
      if (status !== 'failed') origin.setHeaders(preferenceHeaders(aiPreferences, page));
      return artifact;
    },
    waitLimits,
  );
  route(
    api.getReceipt,
    ({ caller, params, query }) => readReceipt(ports, caller, params.fingerprint, (query.wait ?? 0) * 1000),
    waitLimits,
  );
  route(
    api.getPublicReceipt,
    ({ params, query }) => readReceipt(ports, undefined, params.fingerprint, (query.wait ?? 0) * 1000),
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
  const embedding = new FairLimit(embeddingBudget);
  const signedCopyResponse = ({ mediaType, bytes }: SignedCopy, { id }: Pick<Artifact, 'id'>, path: string) =>
    new BinaryResponse(mediaType, bytes, {
      location: `${ports.baseUrl}${path}`,
      link: `<${assetUrls(ports, id).manifestUrl}>; rel="c2pa-manifest"`,
    });

  route(
    api.createArtifact,
    async ({ caller, body, file, headers }) => {
      const { markId, fingerprint, filename } = body;
      const optional = {
        ...optionalFields(body),
        ...definedFields({ file, idempotencyKey: headers['idempotency-key'] }),
      };
      const { artifact } = await createArtifact(ports, caller, { markId, fingerprint, filename, ...optional });
      return withLogState(ports, caller, artifact, headers.prefer);
    },
    limits,
  );

  route(
    api.createManifest,
    async ({ caller, body, file, headers }, { signal }) => {
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
      const { artifact, image } = await (embed ? embedding.run({ client: caller.user.id, signal }, create) : create());
      if (!image) return toManifestResult(await withLogState(ports, caller, artifact, headers.prefer));
      return signedCopyResponse(image, artifact, `/api/c2pa/manifests/${artifact.id}`);
    },
    withEmbedding(({ headers }) => acceptsOnlyImages(headers.accept)),
  );

  route(
    api.createSignedCopy,
    async ({ caller, params, file }, { signal }) => {
      const { artifact, image } = await embedding.run({ client: caller.user.id, signal }, () =>
        createSignedCopy(ports, caller, params.fingerprint, file),
      );
      return signedCopyResponse(image, artifact, `/api/v1/artifacts/${artifact.fingerprint}`);
    },
    withEmbedding(() => true),
  );
}

/** With the receipt, if the client waits for it and it is ready in time. */
async function withLogState(
  ports: Ports,
  caller: Caller,
  artifact: Artifact,
  prefer: string | undefined,
): Promise<Artifact> {
  const waitSeconds = Math.min(readWaitPreference(prefer), MAX_RECEIPT_WAIT_SECONDS);
  if (waitSeconds === 0) return artifact;
  return { ...artifact, log: await awaitLogState(ports, caller, artifact, waitSeconds * 1000) };
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
