// Artifacts: the permanent record that a fingerprint is bound to a Mark.

import Type, { type Static } from 'typebox';
import { FileFingerprint, FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { MAX_WAIT_SECONDS } from '../../longPolling.js';
import { Filename } from '../../metadata/fileFields.js';
import { ArtifactStatus } from '../../statuses.js';
import { StringEnum } from '../../text/text.js';
import {
  created,
  exampleFiles,
  exampleManifestId,
  exampleSoftBinding,
  exampleTime,
  NextCursor,
  Nullable,
  ok,
  operations,
  route,
} from '../declarations.js';
import { markAdminErrors } from '../marks/marks.js';
import { BinaryFile, exampleIds, Timestamp, Uuid } from '../operation.js';
import {
  Artifact,
  ContentVisibility,
  exampleArtifact,
  exampleFingerprint,
  kinds,
  MAX_RENDITIONS,
  SimilarTo,
} from './artifactRecord.js';
import { LogState, PreferHeaders } from './logRecords.js';
import {
  BATCH_ITEM_BYTES,
  BatchItem,
  BatchResult,
  batchLimits,
  exampleBatchItems,
  exampleBatchResults,
  MAX_BATCH_ITEMS,
  newArtifactFields,
} from './newArtifact.js';

const FilePart = BinaryFile('The file. It is processed in memory and never stored.');

const CreationHeaders = Type.Object({
  ...PreferHeaders.properties,
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Within 24 hours, repeating the request with the same key returns the first response.',
    }),
  ),
});

const creationErrors = {
  BAD_REQUEST: 'A field is missing or malformed, or the file does not match the fingerprint.',
  FORBIDDEN: 'The caller has no write access to the Mark.',
  API_KEY_ORG_MISMATCH: "The Mark does not belong to the API key's organization.",
  TIER_RESTRICTION: 'The daily or lifetime limit is reached, or the organization is frozen.',
  NOT_FOUND: 'No such Mark.',
  CONFLICT: 'The fingerprint is already registered, or the idempotency key was used for another request.',
  PAYLOAD_TOO_LARGE: 'The file is larger than this service accepts.',
} as const;

export const ManifestResult = Type.Object(
  {
    manifestId: Uuid('The manifest.'),
    fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
    softBinding: Type.Object(
      { alg: Type.String(), value: Type.String() },
      { description: 'The parameters for a lookup by binding.' },
    ),
    manifestUrl: Type.String(),
    manifestBinaryUrl: Type.String(),
    signedAssetUrl: Type.String(),
    status: ArtifactStatus,
    transactionHash: Nullable<string>('string', 'Null until it is registered on chain.'),
    createdAt: Timestamp('When the Artifact was created.'),
    similarTo: SimilarTo,
    log: Type.Optional(LogState),
  },
  { title: 'ManifestResult' },
);
export type ManifestResult = Static<typeof ManifestResult>;

const FingerprintParams = Type.Object({ fingerprint: FingerprintText('SHA-256 of the exact bytes.') });

/**
 * Orders of a list of Artifacts.
 * @example
 * ```ts
 * const orders: readonly ArtifactSort[] = artifactSorts;
 * ```
 */
export const artifactSorts = ['newest', 'oldest', 'name'] as const;
export type ArtifactSort = (typeof artifactSorts)[number];

const Time = (description: string) => Type.String({ maxLength: 40, format: 'file-time', description });

const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Uuid('`nextCursor` of the previous page.')),
};
const ArtifactPage = Type.Object({ artifacts: Type.Array(Artifact), nextCursor: NextCursor });
const artifactPage = ok('A page of Artifacts.', ArtifactPage, { artifacts: [exampleArtifact], nextCursor: null });

export const artifactOperations = operations('Artifacts', {
  createArtifact: {
    ...route('POST', '/api/v1/artifacts', 'bearer'),
    keyScope: 'register',
    summary: 'Register a file',
    description:
      'Permanently binds the fingerprint to the Mark; the first registration wins. With JSON, only the fingerprint is ' +
      'sent; look-alikes are found by codes that the client computes. With `multipart/form-data`, a `file` part may be ' +
      'attached so that the service can confirm that the bytes match, and compute the codes itself; the file is never ' +
      'stored. `similarTo` names older, near-identical Artifacts of other Marks.',
    headers: CreationHeaders,
    body: Type.Object(newArtifactFields),
    multipart: Type.Object({ ...newArtifactFields, file: Type.Optional(FilePart) }),
    exampleBody: {
      markId: exampleIds.MARK_ID,
      // The image in the example of a signed copy.
      fingerprint: '0x8d9b4b794affc5daf4eafa12e0c6294ab31aaeed330886145676bd6b832e8b98',
      filename: 'sunrise.svg',
    },
    success: created(
      'Recorded, signed and published; the registration on chain is pending.',
      Artifact,
      { ...exampleArtifact, log: { status: 'pending' } },
      '/api/v1/artifacts/{fingerprint}',
    ),
    errors: creationErrors,
  },
  createArtifacts: {
    ...route('POST', '/api/v1/artifacts/batch', 'bearer'),
    keyScope: 'register',
    summary: 'Register many files',
    description:
      'Registers up to 1,000 fingerprints. Each gets what it would have got in a call of its own, in the order of the ' +
      'list: one that is refused does not affect the others. To repeat a call whose response was lost, give each item an ' +
      '`idempotencyKey`. As `application/x-ndjson`, each line is an item, and its result is sent as soon as it and those ' +
      'before it are registered.',
    body: Type.Object({ artifacts: Type.Array(BatchItem, batchLimits) }),
    checkedBody: Type.Object({ artifacts: Type.Array(Type.Unknown(), batchLimits) }),
    maxJsonBytes: MAX_BATCH_ITEMS * BATCH_ITEM_BYTES,
    exampleBody: { artifacts: exampleBatchItems },
    lines: {
      member: 'artifacts',
      maxLines: MAX_BATCH_ITEMS,
      // The longest name and key, with every character escaped, and the longest codes.
      maxLineBytes: 36_864,
      item: BatchItem,
      result: BatchResult,
      exampleItems: exampleBatchItems,
      exampleResults: exampleBatchResults,
    },
    success: ok('One result for each item, in order.', Type.Object({ results: Type.Array(BatchResult, batchLimits) }), {
      results: exampleBatchResults,
    }),
    errors: { BAD_REQUEST: 'The body is not a list of 1 to 1,000 items.' },
  },
  getArtifact: {
    ...route('GET', '/api/v1/artifacts/{fingerprint}', 'bearer'),
    summary: 'Get an Artifact',
    description:
      'Available with any token. Under a private Mark, author and license are shown only to users with write access. ' +
      'With `wait`, the response is sent when the status changes, or after that many seconds.',
    params: FingerprintParams,
    query: Type.Object({
      wait: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'In seconds.' })),
    }),
    exampleQuery: { wait: '30' },
    success: ok('The Artifact.', Artifact, exampleArtifact),
    errors: { NOT_FOUND: 'The fingerprint is not registered.' },
  },
  setContentVisibility: {
    ...route('PUT', '/api/v1/artifacts/{fingerprint}/visibility', 'bearer'),
    summary: "Set an Artifact's content visibility",
    description:
      'The only part of an Artifact that can change. `private` hides filename, size and advisory hashes in responses, and ' +
      'leaves the filename out of later signed copies and later versions. What is published already cannot be taken back: ' +
      'the files of this Artifact and of later versions that name it, signed copies, and the entry on chain. Mark admin only.',
    params: FingerprintParams,
    body: Type.Object({ contentVisibility: ContentVisibility }),
    exampleBody: { contentVisibility: 'private' },
    success: ok('The Artifact.', Artifact, { ...exampleArtifact, contentVisibility: 'private' }),
    errors: { ...markAdminErrors, NOT_FOUND: 'The fingerprint is not registered.' },
  },
  listOwnArtifacts: {
    ...route('GET', '/api/v1/artifacts', 'bearer'),
    summary: 'List your Artifacts',
    description:
      'The Artifacts of all Marks that the caller may register under, in pages, newest first by default. Filters can be combined.',
    query: Type.Object({
      markId: Type.Optional(Uuid('Only those of this Mark.')),
      status: Type.Optional(ArtifactStatus),
      kind: Type.Optional(StringEnum(kinds, { description: 'Only files of this kind.' })),
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          format: 'printable-text',
          description: 'Part of the filename; upper and lower case are the same.',
        }),
      ),
      from: Type.Optional(Time('Only those created at this time or later: ISO 8601; without a zone, UTC.')),
      to: Type.Optional(Time('Only those created before this time.')),
      sort: Type.Optional(
        StringEnum(artifactSorts, {
          description:
            '`name`: by the first 100 characters of the filename, in the order of Unicode code points with A to Z as a to z. ' +
            'The same for all pages of a list. Default: `newest`.',
        }),
      ),
      ...pageQuery,
    }),
    exampleQuery: { name: 'sunrise', from: '2026-01-01T00:00:00Z' },
    success: artifactPage,
    errors: {},
  },
  listArtifacts: {
    ...route('GET', '/api/v1/marks/{markId}/artifacts', 'bearer'),
    summary: "List a Mark's Artifacts",
    description: 'Newest first, in pages.',
    params: Type.Object({ markId: Uuid('The Mark.') }),
    query: Type.Object({
      status: Type.Optional(ArtifactStatus),
      ...pageQuery,
    }),
    success: artifactPage,
    errors: { FORBIDDEN: 'The Mark is private and the caller has no write access.', NOT_FOUND: 'No such Mark.' },
  },
  createManifest: {
    ...route('POST', '/api/c2pa/manifests', 'bearer'),
    keyScope: 'register',
    summary: 'Sign a manifest for a file',
    description:
      'Registers a file, with a C2PA-style response. With `multipart/form-data` and a `file` part, the fingerprint is ' +
      'computed from the bytes. An embeddable image sent with `Accept: image/*` is returned with the manifest embedded.',
    headers: CreationHeaders,
    body: Type.Object(newArtifactFields),
    multipart: Type.Object({
      ...newArtifactFields,
      fingerprint: Type.Optional(FileFingerprint('Must match the file.')),
      filename: Type.Optional(Filename),
      file: FilePart,
    }),
    exampleBody: {
      markId: exampleIds.MARK_ID,
      fingerprint: '0x486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7',
      filename: 'moonrise.jpg',
    },
    success: {
      ...created(
        'Signed and published; the registration on chain is pending.',
        ManifestResult,
        {
          manifestId: exampleManifestId,
          fingerprint: exampleFingerprint,
          softBinding: exampleSoftBinding,
          ...exampleFiles,
          status: 'pending',
          transactionHash: null,
          createdAt: exampleTime,
          log: { status: 'pending' },
        },
        '/api/c2pa/manifests/{manifestId}',
      ),
      alternatives: [{ mediaType: 'image/*', schema: BinaryFile('The image with its manifest embedded.') }],
      headers: { Link: 'With an image: the verification report, as `<…>; rel="c2pa-manifest"`.' },
    },
    errors: creationErrors,
  },
  createSignedCopy: {
    ...route('POST', '/api/v1/artifacts/{fingerprint}/signed-copy', 'bearer'),
    keyScope: 'register',
    summary: 'Sign a copy of a registered image',
    description:
      'Returns the image with a manifest embedded that states what the published manifest states. The copy is recorded ' +
      `as a rendition of the Artifact before it is returned, and is found like the original; at most ${MAX_RENDITIONS} ` +
      'for each Artifact. The image is processed in memory and never stored.',
    params: FingerprintParams,
    multipart: Type.Object({ file: FilePart }),
    exampleFile: '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    success: {
      status: 201,
      description: 'The signed image.',
      mediaType: 'image/*',
      schema: Type.Unsafe<never>({ type: 'string', format: 'binary' }),
      location: '/api/v1/artifacts/{fingerprint}',
      headers: { Link: 'The verification report, as `<…>; rel="c2pa-manifest"`.' },
    },
    errors: {
      BAD_REQUEST: 'The form has no file, the file is not the registered one, or the image cannot be signed.',
      FORBIDDEN: 'The caller has no write access to the Mark.',
      API_KEY_ORG_MISMATCH: "The Mark does not belong to the API key's organization.",
      TIER_RESTRICTION: 'The organization is frozen.',
      NOT_FOUND: 'The fingerprint is not registered.',
      CONFLICT: `The Artifact has ${MAX_RENDITIONS} signed copies already, or the file is registered under another Mark.`,
      PAYLOAD_TOO_LARGE: 'The image is too large to have a manifest embedded.',
      UNSUPPORTED_MEDIA_TYPE: 'The body is not a form, or no manifest can be embedded in a file of this format.',
    },
  },
});
