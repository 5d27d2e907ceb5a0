// Artifacts over HTTP.

import {
  api,
  type BodyOf,
  type Fingerprint,
  fingerprintOf,
  isFilename,
  isMediaType,
  MAX_WAIT_SECONDS,
  type ManifestResult,
  RegistryError,
  SOFT_BINDING_ALGORITHM,
  softBindingValue,
} from '@provenance-registry/core';
import { awaitArtifact, listArtifacts, readArtifact, setContentVisibility } from '../../domain/artifacts.js';
import type { Reader } from '../../domain/caller.js';
import { createArtifact } from '../../domain/createArtifact.js';
import type { Creation } from '../../domain/creationRequest.js';
import type { Ports } from '../../domain/ports/index.js';
import { BinaryAnswer, type Router } from '../route.js';

/** For a look at what an image or a recording is: hardly any is larger. */
const KEEP_BYTES = 32 * 1024 * 1024;
/** An image that is to hold its manifest is in memory several times over. */
const KEEP_TO_EMBED_BYTES = 64 * 1024 * 1024;
/** After a file has arrived: time for every time-limit on the way to the answer. */
const AFTER_UPLOAD_MS = 120_000;
const AFTER_WAIT_MS = 20_000;

export interface UploadTimes {
  readonly maxUploadBytes: number;
  readonly requestMs: number;
}

export function artifactRoutes(route: Router, ports: Ports, { maxUploadBytes, requestMs }: UploadTimes): void {
  const timeMs = requestMs + AFTER_UPLOAD_MS;

  route(
    api.createArtifact,
    async ({ caller, body, file, headers }) => {
      const { artifact } = await createArtifact(ports, caller, {
        ...requiredOf(body),
        ...optionalOf(body),
        ...(file && { file }),
        ...keyOf(headers),
      });
      return artifact;
    },
    { timeMs, upload: { maxBytes: maxUploadBytes, keepBytes: KEEP_BYTES } },
  );

  route(
    api.createManifest,
    async ({ caller, body, file, headers }) => {
      const fingerprint = body.fingerprint ?? (file && fingerprintOf(file.digest));
      if (!fingerprint) throw new RegistryError('BAD_REQUEST', 'The form has no file.');
      const creation = await createArtifact(ports, caller, {
        ...optionalOf(body, file?.mediaType),
        markId: body.markId,
        fingerprint,
        filename: body.filename ?? nameOf(file),
        ...(file && { file }),
        ...keyOf(headers),
        embed: wantsImage(headers.accept),
      });
      return creation.image ? imageAnswer(ports, creation, creation.image) : manifestResult(creation);
    },
    { timeMs, upload: { maxBytes: maxUploadBytes, keepBytes: KEEP_TO_EMBED_BYTES } },
  );

  const read = (reader: Reader, fingerprint: Fingerprint, wait = 0) =>
    wait ? awaitArtifact(ports, reader, fingerprint, wait * 1000) : readArtifact(ports, reader, fingerprint);
  const waiting = { timeMs: MAX_WAIT_SECONDS * 1000 + AFTER_WAIT_MS };
  route(api.getArtifact, ({ caller, params, query }) => read(caller, params.fingerprint, query.wait), waiting);
  route(api.getPublicArtifact, ({ params, query }) => read(undefined, params.fingerprint, query.wait), waiting);
  route(api.setContentVisibility, ({ caller, params, body }) =>
    setContentVisibility(ports, caller, params.fingerprint, body.contentVisibility),
  );
  route(api.listArtifacts, ({ caller, params, query }) => listArtifacts(ports, caller, params.markId, query));
  route(api.listPublicArtifacts, ({ params, query }) => listArtifacts(ports, undefined, params.markId, query));
}

type Fields = BodyOf<typeof api.createArtifact>;

/** Field by field: what else a body holds is ignored, and must not become a part of the request. */
function requiredOf({ markId, fingerprint, filename }: Pick<Fields, 'markId' | 'fingerprint' | 'filename'>) {
  return { markId, fingerprint, filename };
}

type OptionalFields = Pick<Fields, 'mediaType' | 'size' | 'lastModified' | 'previousFingerprint'>;

function optionalOf({ size, lastModified, previousFingerprint, ...fields }: OptionalFields, partType?: string) {
  const mediaType = fields.mediaType ?? (partType !== undefined && isMediaType(partType) ? partType : undefined);
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...(size !== undefined && { size }),
    ...(lastModified !== undefined && { lastModified }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
  };
}

function nameOf(file: { name: string | undefined } | undefined): string {
  const name = file?.name || 'file';
  if (!isFilename(name)) throw new RegistryError('BAD_REQUEST', 'The name of the file is not well-formed.');
  return name;
}

function keyOf(headers: { 'idempotency-key'?: string }) {
  const key = headers['idempotency-key'];
  return key === undefined ? {} : { idempotencyKey: key };
}

/** Only who asks for an image, and not for anything else as well, gets one. */
function wantsImage(accept = ''): boolean {
  const types = accept.split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return types.length > 0 && types.every((type) => type.startsWith('image/'));
}

function manifestResult({ artifact }: Creation): ManifestResult {
  const { id, fingerprint, status, transactionHash, createdAt, c2paAssets } = artifact;
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
  };
}

function imageAnswer({ baseUrl }: Ports, { artifact }: Creation, image: NonNullable<Creation['image']>): BinaryAnswer {
  return new BinaryAnswer(image.mediaType, image.bytes, {
    location: `${baseUrl}/api/c2pa/manifests/${artifact.id}`,
    link: `<${artifact.c2paAssets.manifestUrl}>; rel="c2pa-manifest"`,
  });
}
