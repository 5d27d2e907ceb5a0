// Look-alikes: registered images and recordings that resemble a file without being the same bytes. An answer of its own: the
// resolution API has exact matches only.

import Type, { type Static } from 'typebox';
import { FingerprintText } from '../../fingerprints/fingerprintSchemas.js';
import {
  Chromaprint,
  DEFAULT_MAX_DISTANCE,
  imageHashFields,
  imageParts,
  LARGEST_MAX_DISTANCE,
  LookalikeGrade,
} from '../../lookalikes.js';
import { StringEnum } from '../../text/text.js';
import { exampleFingerprint } from '../artifacts/artifactRecord.js';
import { exampleManifestId, exampleTime, NextCursor, ok, operations, route } from '../declarations.js';
import { exampleMark } from '../marks/marks.js';
import { BinaryFile, Timestamp, Uuid } from '../operation.js';
import { LookupResult } from './bulkLookups.js';

/** Eight orientations of the whole image and of two parts of it. */
export const MAX_QUERY_HASHES = 24;
export const MAX_LOOKALIKES = 50;
const DEFAULT_LOOKALIKES = 10;

const { mark, verifiedDomain, license, licenseKey, aiPreferences, contested, supersededBy } = LookupResult.properties;

export const Lookalike = Type.Object(
  {
    fingerprint: FingerprintText('Of the registered file.'),
    manifestId: Uuid('The Artifact id, which is also the manifest id.'),
    kind: StringEnum(['image', 'audio'], { description: 'The kind of file.' }),
    distance: Type.Integer({
      minimum: 0,
      maximum: 64,
      description:
        'Bits of 64 that differ: of the closest two `pHash`, or of sound, on average. 0 does not mean equal bytes.',
    }),
    grade: LookalikeGrade,
    code: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Of images: which of the codes of the question is the closest; in the list of a Mark, 0 is your whole image, and ' +
          'others are its middle.',
      }),
    ),
    part: Type.Optional(
      StringEnum(imageParts, { description: 'Of images: the part of the registered image that it is close to.' }),
    ),
    offsetSeconds: Type.Optional(
      Type.Number({
        description: 'Of sound: where in the registered recording the asked one begins; may be negative.',
      }),
    ),
    hashesBy: StringEnum(['service', 'client'], {
      description: '`service`: the service computed the codes from the file. `client`: the registrant sent them.',
    }),
    registeredAt: Timestamp('When the Artifact was created.'),
    mark,
    verifiedDomain,
    license,
    licenseKey,
    aiPreferences,
    contested,
    supersededBy,
  },
  { title: 'Lookalike' },
);
/**
 * A registered file that resembles another one. Never evidence that it is the same work.
 * @example
 * ```ts
 * const describe = ({ mark, grade }: Lookalike) => `looks like a file of ${mark?.name} (${grade})`;
 * ```
 */
export type Lookalike = Static<typeof Lookalike>;

const queryHashDescription = 'Codes of one form of the image: as it is, mirrored, turned or cropped.';
export const QueryHash = Type.Object(
  { pHash: imageHashFields.pHash, dHash: Type.Optional(imageHashFields.dHash) },
  { title: 'QueryHash', description: queryHashDescription },
);
export type QueryHash = Static<typeof QueryHash>;

/** A name of its own: in requests, there are no other members. */
const SentQueryHash = Type.Object(QueryHash.properties, {
  title: 'SentQueryHash',
  description: queryHashDescription,
});

export const exampleLookalike: Lookalike = {
  fingerprint: exampleFingerprint,
  manifestId: exampleManifestId,
  kind: 'image',
  distance: 2,
  grade: 'near-identical',
  code: 0,
  part: 'whole',
  hashesBy: 'service',
  registeredAt: exampleTime,
  mark: { id: exampleMark.id, name: exampleMark.name },
  license: exampleMark.license,
  licenseKey: exampleMark.licenseKey,
  contested: false,
  supersededBy: null,
};

const MaxDistance = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: LARGEST_MAX_DISTANCE,
    default: DEFAULT_MAX_DISTANCE,
    description:
      'Bits of `pHash` that may differ; a little more if `dHash` is close, and less of parts. A larger one finds more ' +
      'edits and more unrelated images. Not for sound.',
  }),
);
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LOOKALIKES, default: DEFAULT_LOOKALIKES }));
const unavailable = 'Too many searches are in progress, or the index is still being read.';

export const lookalikeOperations = operations('Public', {
  findLookalikes: {
    ...route('POST', '/api/v1/public/lookalikes', 'none'),
    summary: 'Find look-alikes',
    description:
      'Registered images or recordings that resemble a file, the closest and then the oldest first. Send codes alone, which ' +
      'the SDK, the page and the command line compute locally; or the file as the `file` part of a form: it is read in ' +
      'memory and never stored. With a file, the service compares the image as it is, mirrored and turned. Files of private ' +
      'Marks and private content are not found. A look-alike is a hint, not a proof. No token needed.',
    body: Type.Object({
      codes: Type.Optional(
        Type.Array(SentQueryHash, { minItems: 1, maxItems: MAX_QUERY_HASHES, description: 'Of an image.' }),
      ),
      chromaprint: Type.Optional(Chromaprint),
      maxDistance: MaxDistance,
      limit: Limit,
    }),
    multipart: Type.Object({ file: BinaryFile('The file.'), maxDistance: MaxDistance, limit: Limit }),
    exampleBody: { codes: [{ pHash: '0xc3b1f0a46f7e4a53', dHash: '0x1e4bb0c95d2e8f1a' }] },
    success: ok(
      'The look-alikes.',
      Type.Object(
        {
          lookalikes: Type.Array(Lookalike),
          codes: Type.Array(QueryHash, { description: 'The codes that were compared; empty if the file has none.' }),
          chromaprint: Type.Optional(Chromaprint),
        },
        { title: 'LookalikeResult' },
      ),
      { lookalikes: [exampleLookalike], codes: [{ pHash: '0xc3b1f0a46f7e4a53', dHash: '0x1e4bb0c95d2e8f1a' }] },
    ),
    errors: {
      BAD_REQUEST: 'There are neither codes nor a file, or a code is malformed or has all bits equal.',
      PAYLOAD_TOO_LARGE: 'The file is too large.',
      UNAVAILABLE: unavailable,
    },
  },
});

export const MarkLookalike = Type.Object(
  {
    artifact: Type.Object(
      {
        fingerprint: FingerprintText('Of your Artifact.'),
        filename: Type.Optional(Type.String()),
        registeredAt: Timestamp('When your Artifact was created.'),
      },
      { description: 'Your Artifact, which the other one resembles.' },
    ),
    ...Lookalike.properties,
  },
  { title: 'MarkLookalike' },
);
/**
 * A file that someone else registered and that resembles one of your own.
 * @example
 * ```ts
 * const describe = ({ artifact, mark }: MarkLookalike) => `${artifact.filename} looks like a file of ${mark?.name}`;
 * ```
 */
export type MarkLookalike = Static<typeof MarkLookalike>;

export const markLookalikeOperations = operations('Marks', {
  listMarkLookalikes: {
    ...route('GET', '/api/v1/marks/{markId}/lookalikes', 'bearer'),
    summary: "List look-alikes of a Mark's Artifacts",
    description:
      'Files that others registered and that resemble Artifacts of this Mark. Each page searches for some Artifacts, the ' +
      'newest first, and may be empty: go on until `nextCursor` is null. For users with write access.',
    params: Type.Object({ markId: Uuid('The Mark.') }),
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Artifacts that one page searches for.' }),
      ),
      cursor: Type.Optional(Uuid('`nextCursor` of the previous page.')),
      maxDistance: MaxDistance,
    }),
    success: ok(
      'A page of look-alikes.',
      Type.Object({
        lookalikes: Type.Array(MarkLookalike),
        nextCursor: NextCursor,
      }),
      {
        lookalikes: [
          {
            ...exampleLookalike,
            artifact: { fingerprint: exampleFingerprint, filename: 'sunrise.jpg', registeredAt: exampleTime },
          },
        ],
        nextCursor: null,
      },
    ),
    errors: {
      FORBIDDEN: 'The caller has no write access to the Mark.',
      NOT_FOUND: 'No such Mark.',
      UNAVAILABLE: unavailable,
    },
  },
});
