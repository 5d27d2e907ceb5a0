// The outputs of `filter`.

import { AiPreferences, StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { type CommandOutput, Count, exampleFingerprint, Fingerprint, Text } from './common.js';

const Answered = Type.Object(
  {
    fingerprint: Fingerprint,
    answer: StringEnum(['no', 'maybe', 'registered'], {
      description:
        '`no`: was not registered when the downloads were made. `maybe`: was, except for one in 256. `registered`: with ' +
        '`--exact`.',
    }),
    aiPreferences: Type.Optional(AiPreferences),
    outOfDateAsOf: Type.Optional(
      Text('When the downloads were made, if there should be newer ones by now: the answer is not definite.'),
    ),
  },
  { title: 'FilterAnswer' },
);

const UnknownLine = Type.Object(
  { line: Count('From 1.'), error: Text('A message for people.'), code: Text('For programs: `BAD_REQUEST`.') },
  { title: 'UnknownLine' },
);

const FilterAnswer = Type.Union([Answered, UnknownLine]);
export type FilterAnswer = Static<typeof FilterAnswer>;

const DownloadUpdate = Type.Object(
  {
    registry: Text('The URL of the registry.'),
    createdAt: Text('When the downloads were made.'),
    isOutOfDate: Type.Boolean({ description: 'The registry should have published newer ones by now. Exit code 3.' }),
    fingerprints: Count('Fingerprints in the filter.'),
    files: Count('Files that were fetched.'),
    bytes: Count('Their size.'),
    folder: Text('Where the downloads are kept.'),
  },
  { title: 'DownloadUpdate', description: 'With `--update`.' },
);
export type DownloadUpdate = Static<typeof DownloadUpdate>;

export const filterOutput: CommandOutput = {
  schema: Type.Union([Type.Array(FilterAnswer), DownloadUpdate]),
  example: [
    { fingerprint: exampleFingerprint, answer: 'maybe' },
    { line: 2, error: 'Line 2 is not a fingerprint.', code: 'BAD_REQUEST' },
  ],
};
