// What a monitor remembers from one run to the next: the last checkpoint, what was checked up to it, and what is still to be reported.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QueryHash } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { CommandError, orFileError } from '../../errors.js';
import { Fingerprint } from '../../outputSchemas/common.js';
import { MissingHashes } from '../../outputSchemas/lookalikes.js';
import { MonitorRun, type MonitorRunOutput } from '../../outputSchemas/monitor.js';
import { readIfThere, replaceFile } from '../durableFiles.js';

/** What a run tells, each time once. */
export type Reported = Pick<MonitorRunOutput, 'marks' | 'lookalikes' | 'findings' | 'omitted'>;

const Index = Type.Integer({ minimum: 0 });

const Picture = Type.Object({
  size: Index,
  mtimeNs: Type.String(),
  fingerprint: Fingerprint,
  queryHashes: Type.Optional(Type.Array(QueryHash)),
  chromaprint: Type.Optional(Type.String()),
  missing: Type.Optional(MissingHashes),
  searchedSize: Type.Optional(Index),
});

const MonitorState = Type.Object({
  version: Type.Literal(1),
  /** The note of the last checkpoint that all of it was checked of. Absent before the first. */
  checkpoint: Type.Optional(Type.String()),
  /** Until when that checkpoint was the newest one that the log showed: milliseconds since 1970. */
  newestUntil: Index,
  /** Leaves of Artifacts that have failed. */
  failed: Type.Array(Index),
  /** Leaves whose manifest was not there. */
  unpublished: Type.Optional(Type.Array(Type.Object({ index: Index, entry: Type.String() }))),
  /** The checkpoint up to which the files of a mirror were read, by its address. */
  mirrors: Type.Record(Type.String(), Type.String()),
  /** The first block that is still to be read. */
  nextBlock: Index,
  /** SHA-256 of parts of the snapshot whose fingerprints are all in the log. */
  pieces: Type.Array(Type.String()),
  /** Leaves up to the last one after which the service may show more files. */
  changedTo: Type.Optional(Index),
  /** Files of `--lookalikes`, by their path: what was computed of them, and what `changedTo` was when they were searched for. */
  pictures: Type.Optional(Type.Record(Type.String(), Picture)),
  /** Ids of registrations that resemble one of them. */
  resembling: Type.Optional(Type.Array(Type.String())),
  /** What a run found that ended before it was reported. */
  unreported: Type.Optional(
    Type.Unsafe<Reported>(Type.Pick(MonitorRun, ['marks', 'lookalikes', 'findings', 'omitted'])),
  ),
});
export type MonitorState = Static<typeof MonitorState>;

const empty: MonitorState = {
  version: 1,
  newestUntil: 0,
  failed: [],
  mirrors: {},
  nextBlock: 0,
  pieces: [],
};

export async function readState(folder: string): Promise<MonitorState> {
  await orFileError(folder, mkdir(folder, { recursive: true }));
  const path = join(folder, 'state.json');
  const text = await readIfThere(path);
  if (text === undefined) return empty;
  const state = parseJson(text);
  if (Check(MonitorState, state)) return state;
  throw new CommandError(
    'INVALID_FILE',
    3,
    `${path} is damaged. Without it, the monitor does not know what it has seen.`,
  );
}

export async function writeState(folder: string, state: MonitorState): Promise<void> {
  await replaceFile(join(folder, 'state.json'), `${JSON.stringify(state)}\n`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
