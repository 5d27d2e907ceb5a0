// The outputs of commands about look-alikes.

import { api, exampleLookalike, Lookalike, StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import {
  type CommandOutput,
  type DeepReadonly,
  exampleFingerprint,
  FileFailure,
  Fingerprint,
  Flag,
  Text,
} from './common.js';

export const FoundLookalike = Type.Object(
  {
    ...Lookalike.properties,
    isSameFile: Flag('It is registered with this very fingerprint: an exact match, not a look-alike.'),
  },
  {
    title: 'FoundLookalike',
    description:
      'Of images, `code` tells how the file resembles it: 0 as it is, 1 to 3 turned by 90, 180 and 270 degrees clockwise, ' +
      '4 mirrored, 5 to 7 mirrored and turned so.',
  },
);

/** Why a file has none, as the SDK says it. */
export const MissingHashes = StringEnum(['unsupported', 'too-large', 'featureless', 'unreadable', 'no-decoder'], {
  description:
    'Why it was not searched: `unsupported`: no image or recording in a format that the command reads. `too-large`: ' +
    'more than 32 MiB. `featureless`: one color, silence, or a few seconds. `unreadable`: broken, or it took too much ' +
    'time or memory. `no-decoder`: the package sharp is not installed for this platform.',
});

export const lookalikeFields = {
  sent: StringEnum(['perceptualHashes', 'file', 'nothing'], { description: 'What the service was sent to search.' }),
  lookalikes: Type.Array(FoundLookalike, { description: 'The closest first, then the oldest.' }),
  missing: Type.Optional(MissingHashes),
};

/** Look-alikes of `verify --similar`. */
export const SimilarFiles = Type.Object(
  { ...lookalikeFields, error: Type.Optional(Text('Why the search failed, for people.')) },
  {
    title: 'SimilarFiles',
    description: 'With `--similar`, of a file without an exact match: hints that do not change the verdict.',
  },
);

const SearchedFile = Type.Object(
  { file: Text('As named on the command line, or found in a folder.'), fingerprint: Fingerprint, ...lookalikeFields },
  { title: 'SearchedFile' },
);
export type SearchedFile = DeepReadonly<Static<typeof SearchedFile>>;

const markLookalikes = api.listMarkLookalikes.success;

export const lookalikeOutputs: Readonly<Record<string, CommandOutput>> = {
  'file lookalikes': {
    schema: Type.Array(Type.Union([SearchedFile, FileFailure])),
    example: [
      {
        file: 'copy.jpg',
        fingerprint: exampleFingerprint,
        sent: 'perceptualHashes',
        lookalikes: [{ ...exampleLookalike, isSameFile: false }],
      },
      { file: 'white.png', fingerprint: exampleFingerprint, sent: 'nothing', lookalikes: [], missing: 'featureless' },
    ],
  },
  'mark lookalikes': {
    schema: markLookalikes.schema.properties.lookalikes,
    example: markLookalikes.example.lookalikes,
  },
};
