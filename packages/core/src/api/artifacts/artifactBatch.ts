// Many Artifacts in one call, and the list of one's own across Marks.

import Type, { type Static } from 'typebox';
import { ArtifactStatus } from '../../statuses.js';
import { StringEnum } from '../../text.js';
import { ok, route } from '../declarations.js';
import { ErrorBody, exampleIds, type Operation, Uuid } from '../operation.js';
import { Artifact, exampleArtifact, kinds } from './artifactRecord.js';
import { createArtifact, listArtifacts } from './artifacts.js';

/** About ten seconds of signing on two cores: longer calls would run into the time limits of clients and proxies. */
export const MAX_BATCH_ITEMS = 1_000;

export const BatchItem = Type.Object(
  {
    ...createArtifact.body.properties,
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

const exampleItems = [
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

const exampleResults: BatchResult[] = [
  { status: 201, artifact: exampleArtifact },
  { status: 409, error: 'This fingerprint has an Artifact already.', code: 'CONFLICT' },
];

const items = { minItems: 1, maxItems: MAX_BATCH_ITEMS };

export const createArtifacts = {
  ...route('createArtifacts', 'POST', '/api/v1/artifacts/batch', 'bearer'),
  keyScope: 'register',
  tag: 'Artifacts',
  summary: 'Register many files',
  description:
    'Registers up to 1,000 fingerprints. Each gets what it would have got in a call of its own, in the order of the ' +
    'list: one that is refused does not affect the others. To repeat a call whose response was lost, give each item an ' +
    '`idempotencyKey`. As `application/x-ndjson`, each line is an item, and its result is sent as soon as it and those ' +
    'before it are registered.',
  body: Type.Object({ artifacts: Type.Array(BatchItem, items) }),
  checkedBody: Type.Object({ artifacts: Type.Array(Type.Unknown(), items) }),
  exampleBody: { artifacts: exampleItems },
  lines: {
    member: 'artifacts',
    maxLines: MAX_BATCH_ITEMS,
    // The longest name and key, with every character escaped, and the longest codes.
    maxLineBytes: 36_864,
    item: BatchItem,
    result: BatchResult,
    exampleItems,
    exampleResults,
  },
  success: ok('One result for each item, in order.', Type.Object({ results: Type.Array(BatchResult, items) }), {
    results: exampleResults,
  }),
  errors: { BAD_REQUEST: 'The body is not a list of 1 to 1,000 items.' },
} satisfies Operation;

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

export const listOwnArtifacts = {
  ...route('listOwnArtifacts', 'GET', '/api/v1/artifacts', 'bearer'),
  tag: 'Artifacts',
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
    limit: listArtifacts.query.properties.limit,
    cursor: listArtifacts.query.properties.cursor,
  }),
  exampleQuery: { name: 'sunrise', from: '2026-01-01T00:00:00Z' },
  success: listArtifacts.success,
  errors: {},
} satisfies Operation;
