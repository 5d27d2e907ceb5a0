// What is sent to register a file, and many files in one call.

import Type, { type Static } from 'typebox';
import { FileFingerprint, FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import { Chromaprint, imageHashFields } from '../../lookalikes.js';
import { Filename, FileTime, MediaType } from '../../metadata/fileFields.js';
import { ErrorBody, exampleIds, Uuid } from '../operation.js';
import { Artifact, exampleArtifact, SourceType } from './artifactRecord.js';

const Size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'In bytes.' });
export const newArtifactFields = {
  markId: Uuid('The Mark to register it under.'),
  fingerprint: FileFingerprint('SHA-256 of the exact bytes.'),
  filename: Filename,
  mediaType: Type.Optional(MediaType),
  size: Type.Optional(Size),
  lastModified: Type.Optional(FileTime),
  previousFingerprint: Type.Optional(
    FingerprintText(
      'The previous version, which must be registered. Becomes the parent in the manifest, which then names its file, ' +
        'author and Mark for good; not if one of the two is private.',
    ),
  ),
  digitalSourceType: Type.Optional(SourceType),
  authorshipStated: Type.Optional(
    Type.Boolean({
      description:
        '"I made this or may speak for its maker." Recorded as not given by default; the service does not check it.',
    }),
  ),
  pHash: Type.Optional(imageHashFields.pHash),
  dHash: Type.Optional(imageHashFields.dHash),
  pHashCenter90: Type.Optional(imageHashFields.pHashCenter90),
  pHashCenter80: Type.Optional(imageHashFields.pHashCenter80),
  chromaprint: Type.Optional(Chromaprint),
};

/** About ten seconds of signing on two cores: longer calls would run into the time limits of clients and proxies. */
export const MAX_BATCH_ITEMS = 1_000;

/**
 * What a body of JSON has for each item of the largest batch: a name of a thousand characters and the hash of two minutes of
 * sound, which is more than files usually have.
 */
export const BATCH_ITEM_BYTES = 6_144;

export const BatchItem = Type.Object(
  {
    ...newArtifactFields,
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'As the header `Idempotency-Key` of `createArtifact`, with which it shares its keys.',
      }),
    ),
  },
  { title: 'NewArtifact' },
);

export const BatchResult = Type.Object(
  {
    status: Type.Integer({ description: 'The status that the item would have got in a call of its own.' }),
    artifact: Type.Optional(Artifact),
    error: Type.Optional(ErrorBody.properties.error),
    code: Type.Optional(ErrorBody.properties.code),
    problems: ErrorBody.properties.problems,
  },
  { title: 'BatchResult', description: 'With status 201 `artifact`, otherwise `error` and `code`.' },
);

/**
 * The result for one item of a batch: `artifact`, or `error` and `code`.
 * @example
 * ```ts
 * const describe = ({ artifact, error }: BatchResult) => artifact?.id ?? error;
 * ```
 */
export type BatchResult = Static<typeof BatchResult>;

export const exampleBatchItems = [
  {
    markId: exampleIds.MARK_ID,
    fingerprint: '0x1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014',
    filename: 'one.jpg',
    idempotencyKey: 'import-1',
  },
  {
    markId: exampleIds.MARK_ID,
    fingerprint: '0x60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
    filename: 'two.jpg',
    idempotencyKey: 'import-2',
  },
] as const;

export const exampleBatchResults: BatchResult[] = [
  { status: 201, artifact: exampleArtifact },
  { status: 409, error: 'This fingerprint has an Artifact already.', code: 'CONFLICT' },
];

export const batchLimits = { minItems: 1, maxItems: MAX_BATCH_ITEMS };
