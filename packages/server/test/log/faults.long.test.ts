// The sequencer under faults: it is killed, the disk is full, the bucket fails or fails after it did what was asked, before and
// after each step, with two processes that take over from each other. The log never forks, and nothing is lost.

import { RegistryError } from '@provenance-registry/core';
import {
  appendEntries,
  decodeBundle,
  decodeUtf8,
  encodeUtf8,
  formatTilePath,
  parseCheckpoint,
  parseNote,
  readEdge,
} from '@provenance-registry/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomInt } from '../../../../test/support/random.js';
import { newDataFolder } from '../../../../test/support/service.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { acquireLease } from '../../src/database/queries/leases.js';
import { LogSequenceQueries } from '../../src/database/queries/log/logSequence.js';
import { LeaseLostError, type LogFile, type LogFiles } from '../../src/domain/ports/index.js';
import { openLogDisk } from '../../src/files/logDisk.js';
import { openLogS3 } from '../../src/files/logS3.js';
import { defaultS3Limits } from '../../src/files/s3Bucket.js';
import { createLogSigners, readLogKeys } from '../../src/publicLog/keys.js';
import type { Sequencer } from '../../src/publicLog/sequencer.js';
import {
  addLeaves,
  type FaultPoint,
  KilledError,
  logKeyPem,
  ORIGIN,
  openSequencer,
  sequencerSteps,
  testHasher,
} from '../support/logStores.js';
import { askWitnesses, policyOf, type RunningWitness, startWitness } from '../support/logWitnesses.js';
import { type Fault, startS3 } from '../support/s3.js';

const ROUNDS = 200;
const MAX_LEAVES_PER_ROUND = 200;

interface Store {
  readonly files: LogFiles;
  /** Sometimes lets requests to the store fail, if it is a bucket. */
  readonly failNext: () => void;
  readonly endFailures: () => void;
  /** Sign each checkpoint before others read it; none has refused one at the end. */
  readonly witnesses?: readonly RunningWitness[];
}

const nothing = () => {};

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  'a disk': async () => ({
    files: withFullDisk(await openLogDisk(await newDataFolder())),
    failNext: nothing,
    endFailures: nothing,
  }),
  'a disk, with witnesses that fail': async () => {
    const keys = createLogSigners(ORIGIN, readLogKeys(logKeyPem)).map(({ key }) => key);
    const witnesses = await Promise.all(['w1', 'w2', 'w3'].map((name) => startWitness(name, keys)));
    return {
      files: withFullDisk(await openLogDisk(await newDataFolder())),
      failNext: () => void witnesses[randomInt(witnesses.length)]?.restart(),
      endFailures: nothing,
      witnesses,
    };
  },
  'a bucket': async () => {
    const s3 = await startS3(await newDataFolder());
    onTestFinished(() => s3.stop());
    const limits = { ...defaultS3Limits, retryDelayMs: 1 };
    const faults: readonly Fault[] = ['answers 503', 'breaks off', 'breaks off when done'];
    return {
      files: openLogS3({ bucket: s3.bucket, prefix: 'registry' }, s3.environment, limits),
      failNext() {
        if (randomInt(4) > 0) return;
        s3.fail(faults[randomInt(faults.length)] ?? 'breaks off', 1 + randomInt(2 * limits.attempts));
      },
      endFailures: () => s3.fail('answers 503', 0),
    };
  },
};

/** Sometimes some of the files are written, and then the disk is full. */
function withFullDisk(files: LogFiles): LogFiles {
  return {
    ...files,
    async writeOnce(written: readonly LogFile[]) {
      if (randomInt(10) > 0) return files.writeOnce(written);
      await files.writeOnce(written.slice(0, randomInt(written.length)));
      throw new RegistryError('UNAVAILABLE', 'The disk is full.', { cause: new Error('ENOSPC') });
    },
  };
}

describe.each(Object.entries(stores))('on %s', (_, openStore) => {
  it('200 rounds with faults sign no two roots of one size, and lose nothing', async () => {
    const { files, failNext, endFailures, witnesses = [] } = await openStore();
    const asked = witnesses.length > 0 ? { witnesses: askWitnesses(policyOf(witnesses, 2), files) } : {};
    const places = [...sequencerSteps, ...Object.keys(asked).map(() => 'collect')].flatMap((step) => [
      `${step} before`,
      `${step} after`,
    ]);
    const database = openDatabase({ connectionString: await createMigratedDatabase() });
    onTestFinished(() => database.destroy());
    const records = new LogSequenceQueries(database);
    const signed = new Map<number, string>();
    const expected: string[] = [];

    let next = 0;
    let isKilling = false;
    const fault: FaultPoint = (step, when) => {
      const place = `${step} ${when}`;
      if (!isKilling || place !== places[next % places.length]) return;
      isKilling = false;
      next += 1;
      throw new KilledError(place);
    };
    const processes: Sequencer[] = [];
    const startProcess = (place: number) => {
      const lease = { name: 'public-log', holder: `process ${place}`, ms: 3_600_000 };
      processes[place] = openSequencer(records, files, { fault, lease, ...asked });
    };
    startProcess(0);
    startProcess(1);

    /** True when there is nothing left to do. */
    async function runOnce(place: number): Promise<boolean> {
      const process = processes[place];
      if (!process) throw new Error('there is no such process');
      try {
        const { sequenced, published } = await process.runRound();
        const { size, hasPending } = await records.readHead();
        return sequenced === 0 && size === published && !hasPending;
      } catch (error) {
        if (error instanceof KilledError) startProcess(place);
        if (!isFault(error)) throw error;
        return false;
      }
    }

    let holder = 0;
    await takeLease(database, holder);
    for (let round = 0; round < ROUNDS; round += 1) {
      expected.push(...(await addLeaves(database, 1 + randomInt(MAX_LEAVES_PER_ROUND))));
      failNext();
      isKilling = randomInt(3) > 0;
      // Each of the two believes that it may work; one holds the lease, sometimes another one after a moment.
      const works = [runOnce(holder), ...(randomInt(3) === 0 ? [runOnce(1 - holder)] : [])];
      if (randomInt(5) === 0) {
        holder = 1 - holder;
        await takeLease(database, holder);
      }
      await Promise.all(works);
      isKilling = false;
      endFailures();
      await recordCheckpoint(files, signed);
    }
    while (!(await runOnce(holder))) await recordCheckpoint(files, signed);
    await recordCheckpoint(files, signed);

    await expectWholeLog(files, signed, expected);
    // Each step failed before and after it was done.
    expect(next).toBeGreaterThanOrEqual(places.length);
    expect(witnesses.flatMap(({ lines }) => lines.filter((line) => line.includes('does not extend')))).toEqual([]);
  });
});

/** What faults lead to; a sequencer that stops is none. */
function isFault(error: unknown): boolean {
  if (error instanceof KilledError || error instanceof LeaseLostError) return true;
  if (error instanceof RegistryError) return error.code === 'UNAVAILABLE';
  return error instanceof Error && error.message.startsWith('another process has ');
}

/** As after the end of the lease of the other process. */
async function takeLease(database: Database, place: number): Promise<void> {
  await database.deleteFrom('leases').where('name', '=', 'public-log').execute();
  const lease = { name: 'public-log', holder: `process ${place}`, ms: 3_600_000 };
  expect(await acquireLease(database, lease)).toBe(true);
}

/** No size has two roots, and none is smaller than the one before. */
async function recordCheckpoint(files: LogFiles, signed: Map<number, string>): Promise<void> {
  const stored = await files.readCheckpoint();
  if (!stored) return;
  const { size, root } = parseCheckpoint(parseNote(stored.text).text);
  const hex = Buffer.from(root).toString('hex');
  expect([size, signed.get(size) ?? hex]).toEqual([size, hex]);
  expect(size).toBeGreaterThanOrEqual(Math.max(0, ...signed.keys()));
  signed.set(size, hex);
}

/** It has every leaf once, and every tree that was ever signed is a beginning of the last one. */
async function expectWholeLog(
  files: LogFiles,
  signed: ReadonlyMap<number, string>,
  expected: readonly string[],
): Promise<void> {
  const size = Math.max(...signed.keys());
  const leaves = await readPublishedLeaves(files, size);
  const kinds = leaves.map((leaf) => leaf.split('\n')[0]);
  expect(kinds.slice(0, 2)).toEqual(['provenance-leaf/1 genesis', 'provenance-leaf/1 keys']);
  expect(leaves.slice(2).toSorted()).toEqual(expected.toSorted());

  let edge = await readEdge({ size: 0, root: testHasher.emptyRoot }, async () => new Uint8Array(), testHasher);
  for (const [next, root] of [...signed].sort(([one], [other]) => one - other)) {
    ({ edge } = appendEntries(edge, leaves.slice(edge.size, next).map(encodeUtf8), testHasher));
    expect([next, Buffer.from(edge.root).toString('hex')]).toEqual([next, root]);
  }
}

async function readPublishedLeaves(files: LogFiles, size: number): Promise<string[]> {
  const leaves: string[] = [];
  for (let index = 0; index * 256 < size; index += 1) {
    const position = { level: 'entries', index, width: Math.min(256, size - index * 256) } as const;
    const bundle = await files.read(formatTilePath(position));
    leaves.push(...decodeBundle(bundle ?? new Uint8Array(), position.width).map(decodeUtf8));
  }
  return leaves;
}
