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
import type { ClientCodes } from '../../../domain/artifacts/creationRequest.js';
import { createSignedCopy } from '../../../domain/artifacts/signedCopies.js';
import type { Reader } from '../../../domain/caller.js';
import type { Ports } from '../../../domain/ports/index.js';
import { acceptsOnlyImages } from '../../responses/contentNegotiation.js';
import { preferenceHeaders } from '../../responses/preferenceHeaders.js';
import { BinaryResponse, type Router } from '../../router.js';

/** Files up to this size are inspected, and images get a manifest embedded: hardly any image or recording is larger. */
const MAX_INSPECTED_BYTES = MAX_EMBEDDABLE_BYTES;
/** To process a complete upload: more than the time limits of all steps together. */
const PROCESSING_MS = 120_000;
/** To respond after the longest wait for a status. */
const AFTER_WAIT_MS = 20_000;

export interface UploadOptions {
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

export function artifactRoutes(route: Router, ports: Ports, { maxUploadBytes, requestMs }: UploadOptions): void {
  const timeoutMs = requestMs + PROCESSING_MS;
  const manifestLink = (artifactId: string) => `<${assetUrls(ports, artifactId).manifestUrl}>; rel="c2pa-manifest"`;

  route(
    api.createArtifact,
    async ({ caller, body, file, headers }) => {
      const { artifact } = await createArtifact(ports, caller, {
        markId: body.markId,
        fingerprint: body.fingerprint,
        filename: body.filename,
        ...optionalFields(body),
        ...(file && { file }),
        ...idempotencyKey(headers),
      });
      return artifact;
    },
    { timeoutMs, upload: { maxBytes: maxUploadBytes, maxBufferedBytes: MAX_INSPECTED_BYTES } },
  );

  route(
    api.createManifest,
    async ({ caller, body, file, headers }) => {
      const fingerprint = body.fingerprint ?? (file && fingerprintOf(file.digest));
      if (!fingerprint) throw new RegistryError('BAD_REQUEST', 'The form has no file.');
      const { artifact, image } = await createArtifact(ports, caller, {
        ...optionalFields(body, file?.mediaType),
        markId: body.markId,
        fingerprint,
        filename: body.filename ?? filenameOf(file),
        ...(file && { file }),
        ...idempotencyKey(headers),
        embed: acceptsOnlyImages(headers.accept),
      });
      if (!image) return toManifestResult(artifact);
      return new BinaryResponse(image.mediaType, image.bytes, {
        location: `${ports.baseUrl}/api/c2pa/manifests/${artifact.id}`,
        link: manifestLink(artifact.id),
      });
    },
    { timeoutMs, upload: { maxBytes: maxUploadBytes, maxBufferedBytes: MAX_INSPECTED_BYTES } },
  );

  route(
    api.createSignedCopy,
    async ({ caller, params, file }) => {
      const { artifact, image } = await createSignedCopy(ports, caller, params.fingerprint, file);
      return new BinaryResponse(image.mediaType, image.bytes, {
        location: `${ports.baseUrl}/api/v1/artifacts/${artifact.fingerprint}`,
        link: manifestLink(artifact.id),
      });
    },
    { timeoutMs, upload: { maxBytes: maxUploadBytes, maxBufferedBytes: MAX_INSPECTED_BYTES } },
  );

  const read = (reader: Reader, fingerprint: Fingerprint, wait = 0) =>
    wait ? awaitArtifact(ports, reader, fingerprint, wait * 1000) : readArtifact(ports, reader, fingerprint);
  const waitLimits = { timeoutMs: MAX_WAIT_SECONDS * 1000 + AFTER_WAIT_MS };
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
  route(api.setContentVisibility, ({ caller, params, body }) =>
    setContentVisibility(ports, caller, params.fingerprint, body.contentVisibility),
  );
  route(api.listArtifacts, ({ caller, params, query }) => listArtifacts(ports, caller, params.markId, query));
  route(api.listPublicArtifacts, ({ params, query }) => listArtifacts(ports, undefined, params.markId, query));
}

type OptionalFields = Pick<
  BodyOf<typeof api.createArtifact>,
  | 'mediaType'
  | 'size'
  | 'lastModified'
  | 'previousFingerprint'
  | 'digitalSourceType'
  | 'authorshipStated'
  | keyof ClientCodes
>;

/** Field by field: unknown fields of a body are ignored. */
export function optionalFields(body: OptionalFields, partType?: string) {
  const { size, lastModified, previousFingerprint, digitalSourceType, authorshipStated, ...fields } = body;
  const mediaType = fields.mediaType ?? (partType !== undefined && isMediaType(partType) ? partType : undefined);
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...(size !== undefined && { size }),
    ...(lastModified !== undefined && { lastModified }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
    ...(digitalSourceType !== undefined && { digitalSourceType }),
    ...(authorshipStated !== undefined && { authorshipStated }),
    ...clientCodes(body),
  };
}

function clientCodes({ pHash, dHash, pHashCenter90, pHashCenter80, chromaprint }: OptionalFields): {
  codes?: ClientCodes;
} {
  const codes = {
    ...(pHash !== undefined && { pHash }),
    ...(dHash !== undefined && { dHash }),
    ...(pHashCenter90 !== undefined && { pHashCenter90 }),
    ...(pHashCenter80 !== undefined && { pHashCenter80 }),
    ...(chromaprint !== undefined && { chromaprint }),
  };
  return Object.keys(codes).length > 0 ? { codes } : {};
}

function filenameOf(file: { name: string | undefined } | undefined): string {
  const name = file?.name || 'file';
  if (!isFilename(name)) throw new RegistryError('BAD_REQUEST', 'The filename is not valid.');
  return name;
}

function idempotencyKey(headers: { 'idempotency-key'?: string }) {
  const key = headers['idempotency-key'];
  return key === undefined ? {} : { idempotencyKey: key };
}

function toManifestResult(artifact: Artifact): ManifestResult {
  const { id, fingerprint, status, transactionHash, createdAt, c2paAssets, similarTo } = artifact;
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
    ...(similarTo && { similarTo }),
  };
}
