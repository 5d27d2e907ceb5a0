// Artifacts: the permanent record that a fingerprint is bound to a Mark.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../fingerprints.js';
import { LicenseKey } from '../licenses.js';
import { type ArtifactStatus, artifactStatus } from '../statuses.js';
import { OneOf } from '../text.js';
import { exampleMark, GalleryMark } from './marks.js';
import { exampleIds, type Operation, Person, Timestamp, Uuid } from './operation.js';

const exampleFingerprint = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const exampleFile = 'https://registry.example/cdn/1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10';

const statuses: readonly ArtifactStatus[] = Object.keys(artifactStatus).filter(
  (name): name is ArtifactStatus => name in artifactStatus,
);
export const Status = OneOf(statuses, {
  title: 'ArtifactStatus',
  description: '`submitted` once the registration is deep enough in the chain; `failed` when it can no longer land.',
});

/** Control characters would only hide the rest; PostgreSQL cannot store U+0000 or half a character. */
const Filename = Type.String({
  minLength: 1,
  maxLength: 1024,
  pattern: '^[^\\p{Cc}\\p{Cs}]+$',
  description: 'What the file is called. It is a text: nothing is ever opened by it.',
});
const filenameForm = /^[^\p{Cc}\p{Cs}]{1,1024}$/u;
const mediaTypeForm = /^[^\p{Cc}\p{Cs}]{3,255}$/u;

/** For names and types that do not come as a field, but with the file. */
export function isFilename(text: string): boolean {
  return filenameForm.test(text);
}

export function isMediaType(text: string): boolean {
  return mediaTypeForm.test(text);
}

const MediaType = Type.String({ minLength: 3, maxLength: 255, pattern: '^[^\\p{Cc}\\p{Cs}]+$' });
const Size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes.' });
const LastModified = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  minimum: 0,
  // The last millisecond of the year 9999: a time after it would be written in a form that RFC 3339 does not know.
  maximum: 253_402_300_799_999,
  maxLength: 64,
  description: 'When the file was last changed: ISO 8601, or milliseconds since 1970 as browsers have it.',
});

const Licence = Type.Object({
  name: Type.String(),
  url: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
const AiTraining = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });
const Maybe = <T>(type: 'string' | 'integer', description: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], description });

export const kinds = ['image', 'audio', 'video', 'document', 'other'] as const;
export type Kind = (typeof kinds)[number];

export const ArtifactMetadata = Type.Object(
  {
    filename: Type.Optional(Type.String()),
    mediaType: Type.Optional(Maybe<string>('string', 'As the bytes or the caller say.')),
    size: Type.Optional(Maybe<number>('integer', 'In bytes.')),
    kind: OneOf(kinds, { description: 'What the file is.' }),
    license: Type.Optional(Licence),
    licenseKey: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    author: Type.Optional(Person),
    mark: Type.Optional(Type.Object({ id: Uuid('The Mark.'), name: Type.String() })),
    lastModified: Type.Optional(Timestamp('When the file was last changed, as the caller says.')),
    previousFingerprint: Type.Optional(FingerprintText('The version before this one.')),
    pHash: Type.Optional(Type.String({ description: 'How an image looks; advisory.' })),
    chromaprint: Type.Optional(Type.String({ description: 'How a recording sounds; advisory.' })),
  },
  {
    title: 'ArtifactMetadata',
    description: 'As captured at creation. Its keccak-256, in the form of RFC 8785, is the `manifestHash` on chain.',
  },
);
export type ArtifactMetadata = Static<typeof ArtifactMetadata>;

export const C2paAssets = Type.Object({
  assetId: Uuid('The Artifact, and the name of its files.'),
  manifestUrl: Type.String({ description: "The report of the manifest's verification." }),
  manifestBinaryUrl: Type.String({ description: 'The signed manifest itself (JUMBF).' }),
  signedAssetUrl: Type.String({
    description: 'The card that shows the fingerprint; not the file, which is never kept.',
  }),
});

export const ContentVisibility = OneOf(['public', 'private'], {
  description: '`private`: filename, size and advisory hashes are shown only to those who may write under the Mark.',
});

export const Artifact = Type.Object(
  {
    id: Uuid('The Artifact; also the id of its manifest.'),
    fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
    mark: Type.Unsafe<GalleryMark | { id: string; visibility: 'private' }>({
      type: 'object',
      required: ['id', 'visibility'],
      properties: GalleryMark.properties,
      description: 'The Mark it lives under; of a private one, others see no more than its id.',
    }),
    status: Status,
    errorReason: Maybe<string>('string', 'Why it failed.'),
    transactionHash: Maybe<string>('string', 'The chain transaction that registered it.'),
    metadata: ArtifactMetadata,
    createdBy: Type.Unsafe<Person | null>({
      type: ['object', 'null'],
      required: ['id', 'name'],
      properties: Person.properties,
      description: 'Null for those who may not know.',
    }),
    license: Type.Optional(Licence),
    licenseKey: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    contentVisibility: ContentVisibility,
    c2paAssets: C2paAssets,
    createdAt: Timestamp('When it was recorded.'),
  },
  { title: 'Artifact' },
);
export type Artifact = Static<typeof Artifact>;

const exampleMetadata: ArtifactMetadata = {
  filename: 'sunrise.jpg',
  mediaType: 'image/jpeg',
  size: 482_133,
  kind: 'image',
  license: exampleMark.license,
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  author: { id: exampleIds.USER_ID, name: 'Ada Lovelace' },
  mark: { id: exampleIds.MARK_ID, name: 'Ada Lovelace Photography' },
};

export const exampleArtifact: Artifact = {
  id: '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10',
  fingerprint: exampleFingerprint,
  mark: exampleMark,
  status: 'pending',
  errorReason: null,
  transactionHash: null,
  metadata: exampleMetadata,
  createdBy: { id: exampleIds.USER_ID, name: 'Ada Lovelace' },
  license: exampleMark.license,
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  contentVisibility: 'public',
  c2paAssets: {
    assetId: '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10',
    manifestUrl: `${exampleFile}.json`,
    manifestBinaryUrl: `${exampleFile}.c2pa`,
    signedAssetUrl: `${exampleFile}.png`,
  },
  createdAt: '2026-06-01T12:00:00.000Z',
};

const fields = {
  markId: Uuid('The Mark to register it under.'),
  fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
  filename: Filename,
  mediaType: Type.Optional(MediaType),
  size: Type.Optional(Size),
  lastModified: Type.Optional(LastModified),
  previousFingerprint: Type.Optional(
    FingerprintText('Links the previous version, which must be registered, as the parent in the manifest.'),
  ),
};
const FilePart = Type.Unsafe<unknown>({
  format: 'binary',
  description: 'The file. It is read in memory and never kept.',
});

const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Within 24 hours, the same key with the same request gives the first answer again.',
    }),
  ),
});

const creationErrors = {
  BAD_REQUEST: 'A field is missing or malformed, or the file does not have the fingerprint.',
  FORBIDDEN: 'The caller may not write under the Mark.',
  API_KEY_ORG_MISMATCH: "The Mark is outside the API key's organization.",
  TIER_RESTRICTION: 'The daily or lifetime cap is reached, or the organization is frozen.',
  NOT_FOUND: 'There is no such Mark.',
  CONFLICT: 'The fingerprint has an Artifact already, or the idempotency key was used for something else.',
  PAYLOAD_TOO_LARGE: 'The file is larger than this server takes.',
} as const;

export const createArtifact = {
  id: 'createArtifact',
  method: 'POST',
  path: '/api/v1/artifacts',
  tag: 'Artifacts',
  summary: 'Register a file',
  description:
    'Binds the fingerprint to the Mark, for good: the first one wins. With JSON the file stays where it is. With ' +
    '`multipart/form-data` a `file` part may be attached, so that the report can say that the bytes match; it is never kept.',
  auth: 'bearer',
  headers: IdempotencyHeaders,
  body: Type.Object(fields),
  multipart: Type.Object({ ...fields, file: Type.Optional(FilePart) }),
  exampleBody: { markId: exampleIds.MARK_ID, fingerprint: exampleFingerprint, filename: 'sunrise.jpg' },
  success: {
    status: 201,
    description: 'Recorded, signed and published; on its way to the chain.',
    schema: Artifact,
    example: exampleArtifact,
  },
  errors: creationErrors,
} satisfies Operation;

export const ManifestResult = Type.Object(
  {
    manifestId: Uuid('The manifest.'),
    fingerprint: FingerprintText('SHA-256 of the exact bytes.'),
    softBinding: Type.Object(
      { alg: Type.String(), value: Type.String() },
      { description: 'What a lookup by binding takes.' },
    ),
    manifestUrl: Type.String(),
    manifestBinaryUrl: Type.String(),
    signedAssetUrl: Type.String(),
    status: Status,
    transactionHash: Maybe<string>('string', 'Null until the chain has it.'),
    createdAt: Timestamp('When it was recorded.'),
  },
  { title: 'ManifestResult' },
);
export type ManifestResult = Static<typeof ManifestResult>;

export const createManifest = {
  id: 'createManifest',
  method: 'POST',
  path: '/api/c2pa/manifests',
  tag: 'Artifacts',
  summary: 'Sign a manifest for a file',
  description:
    'As registering a file, in the words of C2PA. As `multipart/form-data` with a `file` part the fingerprint is computed ' +
    'from the bytes. An embeddable image sent with `Accept: image/*` comes back with the manifest inside.',
  auth: 'bearer',
  headers: IdempotencyHeaders,
  body: Type.Object(fields),
  multipart: Type.Object({
    ...fields,
    fingerprint: Type.Optional(FingerprintText('Must be that of the bytes.')),
    filename: Type.Optional(Filename),
    file: FilePart,
  }),
  exampleBody: {
    markId: exampleIds.MARK_ID,
    fingerprint: '0x486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7',
    filename: 'moonrise.jpg',
  },
  success: {
    status: 201,
    description: 'Signed and published; on its way to the chain.',
    schema: ManifestResult,
    example: {
      manifestId: exampleArtifact.id,
      fingerprint: exampleFingerprint,
      softBinding: { alg: 'com.service.sha256', value: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=' },
      manifestUrl: `${exampleFile}.json`,
      manifestBinaryUrl: `${exampleFile}.c2pa`,
      signedAssetUrl: `${exampleFile}.png`,
      status: 'pending',
      transactionHash: null,
      createdAt: '2026-06-01T12:00:00.000Z',
    },
  },
  errors: creationErrors,
} satisfies Operation;

const FingerprintParams = Type.Object({ fingerprint: FingerprintText('SHA-256 of the exact bytes.') });

/** Proxies commonly give up after a minute. */
export const MAX_WAIT_SECONDS = 50;

export const getArtifact = {
  id: 'getArtifact',
  method: 'GET',
  path: '/api/v1/artifacts/{fingerprint}',
  tag: 'Artifacts',
  summary: 'An Artifact',
  description:
    'To any bearer. Of an Artifact under a private Mark, those who may not write under it see neither author nor licence. ' +
    'With `wait`, the answer comes when the status changes, or after so many seconds.',
  auth: 'bearer',
  params: FingerprintParams,
  query: Type.Object({
    wait: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'Seconds.' })),
  }),
  exampleQuery: { wait: '30' },
  success: { status: 200, description: 'The Artifact.', schema: Artifact, example: exampleArtifact },
  errors: { NOT_FOUND: 'The fingerprint has no Artifact yet.' },
} satisfies Operation;

export const setContentVisibility = {
  id: 'setContentVisibility',
  method: 'PUT',
  path: '/api/v1/artifacts/{fingerprint}/visibility',
  tag: 'Artifacts',
  summary: "Show or hide an Artifact's content",
  description: 'Nothing else of an Artifact ever changes, and files that are published stay as they are.',
  auth: 'bearer',
  params: FingerprintParams,
  body: Type.Object({ contentVisibility: ContentVisibility }),
  exampleBody: { contentVisibility: 'private' },
  success: {
    status: 200,
    description: 'The Artifact.',
    schema: Artifact,
    example: { ...exampleArtifact, contentVisibility: 'private' },
  },
  errors: {
    FORBIDDEN: "The caller is not the Mark's admin.",
    API_KEY_ORG_MISMATCH: "The Mark is outside the API key's organization.",
    NOT_FOUND: 'The fingerprint has no Artifact yet.',
  },
} satisfies Operation;

export const listArtifacts = {
  id: 'listArtifacts',
  method: 'GET',
  path: '/api/v1/marks/{markId}/artifacts',
  tag: 'Artifacts',
  summary: 'The Artifacts of a Mark',
  description: 'Newest first, page by page.',
  auth: 'bearer',
  params: Type.Object({ markId: Uuid('The Mark.') }),
  query: Type.Object({
    status: Type.Optional(Status),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Uuid('`nextCursor` of the page before.')),
  }),
  success: {
    status: 200,
    description: 'A page of them.',
    schema: Type.Object({
      artifacts: Type.Array(Artifact),
      nextCursor: Maybe<string>('string', 'Null on the last page.'),
    }),
    example: { artifacts: [exampleArtifact], nextCursor: null },
  },
  errors: {
    FORBIDDEN: 'The Mark is private, and the caller may not write under it.',
    NOT_FOUND: 'There is no such Mark.',
  },
} satisfies Operation;
