// The sequencer on a real database and disk: what it publishes, and when it stops before it signs.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeBundle,
  decodeUtf8,
  formatPolicy,
  type Leaf,
  parseCheckpoint,
  parseLeaf,
  parseNote,
  parsePolicy,
  verifyCheckpoint,
} from '@provenance-registry/log';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { newDataFolder } from '../../../../test/support/service.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { LogSequenceQueries } from '../../src/database/queries/log/logSequence.js';
import type { LogFiles } from '../../src/domain/ports/index.js';
import { openLogDisk } from '../../src/files/logDisk.js';
import { createLogSigners, describeSigner, generateLogKey, readLogKeys } from '../../src/publicLog/keys.js';
import { createLogReader } from '../../src/publicLog/reader.js';
import { recoverLog } from '../../src/publicLog/recover.js';
import type { Sequencer, SequencerOptions } from '../../src/publicLog/sequencer.js';
import { LogStoppedError } from '../../src/publicLog/stops.js';
import { addLeaves, type FaultPoint, logKeyPem, ORIGIN, openSequencer, sequencerSteps } from '../support/logStores.js';

const lease = { name: 'public-log', holder: 'this test', ms: 3_600_000 };
const keys = readLogKeys(logKeyPem);

let database: Database;
let folder: string;
let files: LogFiles;
let records: LogSequenceQueries;

beforeEach(async () => {
  database = openDatabase({ connectionString: await createMigratedDatabase() });
  onTestFinished(() => database.destroy());
  folder = await newDataFolder();
  files = await openLogDisk(folder);
  records = new LogSequenceQueries(database);
  expect(await records.acquireLease(lease)).toBe(true);
});

/** A process of its own, with nothing in memory. */
const start = (changes: Partial<SequencerOptions> & { readonly fault?: FaultPoint } = {}) =>
  openSequencer(records, files, { lease, ...changes });

async function runToEnd(sequencer: Sequencer): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const { published } = await sequencer.runRound();
    const { size, hasPending } = await records.readHead();
    isDone = size === published && !hasPending;
  }
}

async function readCheckpoint() {
  const { text = '' } = (await files.readCheckpoint()) ?? {};
  return parseCheckpoint(parseNote(text).text);
}

/** All leaves of a log of less than one bundle. */
async function readLeaves(): Promise<(Leaf | undefined)[]> {
  const { size } = await readCheckpoint();
  const bundle = await readFile(join(folder, `tile/entries/000.p/${size}`));
  return decodeBundle(bundle, size).map((entry) => parseLeaf(entry));
}

/** Of a database from before the log. More than a page of an import. */
async function addEarlierArtifacts(count: number): Promise<void> {
  const id = randomUUID();
  await database.transaction().execute(async (transaction) => {
    // Without triggers and foreign keys.
    await sql`set local session_replication_role = replica`.execute(transaction);
    await sql`
      insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
      values (${id}, 'Mark', 'mark', 'public', 'NONE_SPECIFIED', ${id}, ${id})`.execute(transaction);
    await sql`
      insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
      select gen_random_uuid(), ${id}, ${id}, 2, sha256(number::text::bytea), sha256('x'), '{}'
      from generate_series(1, ${count}::integer) number`.execute(transaction);
    await sql`
      insert into log_import (position, kind, id)
      select row_number() over (order by id), 'artifact', id from artifacts`.execute(transaction);
  });
}

/** The log's tables as a backup has them. */
async function backUp() {
  const tables = ['log_entries', 'log_leaves', 'log_head', 'log_keys'] as const;
  const saved = await Promise.all(
    tables.map(async (table) => ({
      table,
      rows: (
        await sql<{ rows: unknown }>`select coalesce(json_agg(t), '[]') as rows from ${sql.table(table)} t`.execute(
          database,
        )
      ).rows[0]?.rows,
    })),
  );
  return async () => {
    for (const { table, rows } of saved) {
      await sql`delete from ${sql.table(table)}`.execute(database);
      await sql`
        insert into ${sql.table(table)} overriding system value
        select * from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`.execute(database);
    }
  };
}

const recover = (isDryRun = false) =>
  recoverLog({
    records,
    files,
    lease,
    readSigners: async (origin) => createLogSigners(origin, keys),
    isDryRun,
    onProgress: async () => {},
  });

describe('a round', () => {
  it('publishes what is committed, in the order in which it was written', async () => {
    const sequencer = start();
    const first = await addLeaves(database, 3);
    await runToEnd(sequencer);
    const second = await addLeaves(database, 300);
    await runToEnd(sequencer);
    const { size, origin } = await readCheckpoint();
    expect([size, origin]).toEqual([305, ORIGIN]);
    const published = await records.readLeaves(2, 305);
    expect(published).toEqual([...first, ...second]);
    const bundle = await readFile(join(folder, 'tile/entries/000'));
    expect(decodeBundle(bundle, 256).slice(2).map(decodeUtf8)).toEqual(published.slice(0, 254));
    const { text = '' } = (await files.readCheckpoint()) ?? {};
    const [signer] = createLogSigners(ORIGIN, keys);
    if (!signer) throw new Error('there is no key');
    await verifyCheckpoint(text, parsePolicy(formatPolicy([describeSigner(signer)])));
    const reader = createLogReader(files);
    expect(await reader.readReceipt(304)).toMatchObject({ leaf: published.at(-1) });
    expect(await reader.readReceipt(305)).toBeUndefined();
  });

  it('gives no places to leaves that another round has placed since', async () => {
    await runToEnd(start());
    const leaves = await addLeaves(database, 2);
    class SlowRecords extends LogSequenceQueries {
      override async listPending(limit: number) {
        const pending = await super.listPending(limit);
        await runToEnd(start());
        return pending;
      }
    }
    const slow = start({ records: new SlowRecords(database) });
    await expect(slow.runRound()).rejects.toThrow('another process has changed the head of the log');
    await runToEnd(start());
    expect((await readCheckpoint()).size).toBe(4);
    expect(await records.readLeaves(2, 4)).toEqual(leaves);
  });

  it('imports each Artifact once, while two processes take over from each other', async () => {
    const count = 11_000;
    await addEarlierArtifacts(count);
    const other = { ...lease, holder: 'another' };
    const processes = [
      { lease, process: start() },
      { lease: other, process: start({ lease: other }) },
    ] as const;
    let [current, next] = processes;
    while (!(await files.readCheckpoint())) {
      await current.process.runRound();
      await records.releaseLease(current.lease);
      expect(await records.acquireLease(next.lease)).toBe(true);
      [current, next] = [next, current];
    }
    const { rows } = await sql<{ leaves: string; files: string }>`
      select count(*) as leaves, count(distinct fingerprint) as files from log_entries where kind = 'artifact'`.execute(
      database,
    );
    expect(rows).toEqual([{ leaves: String(count), files: String(count) }]);
    expect((await readCheckpoint()).size).toBe(2 + count);
  });

  it('does nothing while nothing is new', async () => {
    const sequencer = start();
    await runToEnd(sequencer);
    const { text } = (await files.readCheckpoint()) ?? {};
    expect(await sequencer.runRound()).toMatchObject({ sequenced: 0, published: 2 });
    expect((await files.readCheckpoint())?.text).toBe(text);
  });

  it('says in the log that another key or other roots sign from there on, with both keys', async () => {
    await runToEnd(start());
    const next = readLogKeys(generateLogKey() + logKeyPem);
    const signers = createLogSigners(ORIGIN, next);
    await runToEnd(start({ openSigners: async () => signers }));
    const leaves = await readLeaves();
    const [current, earlier] = signers.map(describeSigner);
    expect(leaves.at(-1)).toMatchObject({ kind: 'keys', content: { log: current, signers: [] } });
    const { text = '' } = (await files.readCheckpoint()) ?? {};
    for (const key of [current, earlier]) {
      await verifyCheckpoint(text, parsePolicy(formatPolicy([key ?? ''])));
    }
    const root: `0x${string}` = `0x${'22'.repeat(32)}`;
    const registry = async () => ({
      chain: 1,
      contract: `0x${'11'.repeat(20)}` as const,
      since: new Date(0),
      signers: [root],
    });
    await runToEnd(start({ openSigners: async () => signers, registry }));
    expect((await readLeaves()).at(-1)).toMatchObject({ kind: 'keys', content: { signers: [root] } });
  });
});

describe('it stops before it signs', () => {
  const attempt = (changes: Partial<SequencerOptions> = {}) => start(changes).runRound();
  const stop = (reason: string) => expect.objectContaining({ name: 'LogStoppedError', reason });

  it('when the database was restored from a backup, and goes on once the log is recovered', async () => {
    await addLeaves(database, 20);
    await runToEnd(start());
    const waiting = await addLeaves(database, 5);
    const restore = await backUp();
    const lost = await addLeaves(database, 400);
    const running = start();
    await runToEnd(running);
    const before = await readCheckpoint();
    await restore();
    const later = await addLeaves(database, 3);
    for (const sequencer of [start(), running])
      await expect(sequencer.runRound()).rejects.toEqual(stop('database-behind'));
    expect(await readCheckpoint()).toEqual(before);

    expect(await recover(true)).toMatchObject({ recovered: 405 });
    await expect(attempt()).rejects.toEqual(stop('database-behind'));
    expect(await recover()).toEqual({ recovered: 405, replaced: [], size: 427 });
    expect(await recover()).toEqual({ recovered: 0, replaced: [], size: 427 });
    await runToEnd(start());
    expect((await readCheckpoint()).size).toBe(430);
    expect(await records.readLeaves(22, 430)).toEqual([...waiting, ...lost, ...later]);
    const [fingerprint = ''] = waiting.map((leaf) => /"fingerprint":"(0x\w+)"/.exec(leaf)?.[1]);
    const indexes = await records.findLeafIndexes([fingerprint as `0x${string}`]);
    expect([...indexes.values()]).toEqual([22]);
  });

  it('when the database knows no log, and its files are there', async () => {
    const restore = await backUp();
    await addLeaves(database, 5);
    await runToEnd(start());
    await restore();
    await expect(attempt()).rejects.toEqual(stop('database-behind'));
    expect(await recover()).toMatchObject({ recovered: 7 });
    await runToEnd(start());
    expect((await records.readHead()).origin).toBe(ORIGIN);
  });

  it('when a copy of the database went on by itself', async () => {
    await runToEnd(start());
    const restore = await backUp();
    await addLeaves(database, 5);
    await runToEnd(start());
    await restore();
    // The copy has a store of its own at first.
    await addLeaves(database, 6);
    const others = files;
    files = await openLogDisk(await newDataFolder());
    await runToEnd(start());
    files = others;
    await expect(attempt()).rejects.toEqual(stop('diverged'));
    await expect(recover()).rejects.toEqual(stop('diverged'));
  });

  it('when a leaf of the database was changed before it was published', async () => {
    await runToEnd(start());
    await addLeaves(database, 2);
    const killed = start({ files: { ...files, writeOnce: () => Promise.reject(new Error('killed')) } });
    await expect(killed.runRound()).rejects.toThrow('killed');
    await sql`update log_entries set leaf = replace(leaf, 'artifact', 'rendition') where leaf_index = 3`.execute(
      database,
    );
    await expect(attempt()).rejects.toEqual(stop('diverged'));
  });

  it('when the published checkpoint is not one of this log', async () => {
    await runToEnd(start());
    const path = join(folder, 'checkpoint');
    const text = await readFile(path, 'utf8');
    for (const forged of [text.replace('\n2\n', '\n1\n'), text.replaceAll(ORIGIN, 'other.example/log'), 'nothing']) {
      await writeFile(path, forged);
      await expect(attempt()).rejects.toEqual(stop('foreign-checkpoint'));
    }
    await rm(path);
    await addLeaves(database, 1);
    await runToEnd(start());
    expect((await readCheckpoint()).size).toBe(3);
  });

  it('when a published file is missing, or was changed', async () => {
    await addLeaves(database, 3);
    await runToEnd(start());
    const path = join(folder, 'tile/0/000.p/5');
    const bytes = await readFile(path);
    await writeFile(path, Buffer.from(bytes).fill(0, 40, 41));
    await expect(attempt()).rejects.toEqual(stop('foreign-file'));
    await rm(path);
    await expect(attempt()).rejects.toEqual(stop('foreign-file'));
    await writeFile(path, bytes);
    await runToEnd(start());
  });

  it('when a file exists that it would write with other content, until that is replaced', async () => {
    await runToEnd(start());
    await addLeaves(database, 3);
    await files.writeOnce([{ path: 'tile/0/000.p/5', bytes: new Uint8Array(5 * 32) }]);
    await expect(attempt()).rejects.toEqual(stop('foreign-file'));
    expect((await readCheckpoint()).size).toBe(2);
    expect(await recover()).toEqual({ recovered: 0, replaced: ['tile/0/000.p/5'], size: 5 });
    await runToEnd(start());
    expect((await readCheckpoint()).size).toBe(5);
  });

  it('when another process has taken its lease since, even after all other steps', async () => {
    await runToEnd(start());
    await addLeaves(database, 2);
    const overtaken = start({
      files: {
        ...files,
        async writeOnce(written) {
          const existing = await files.writeOnce(written);
          await records.releaseLease(lease);
          expect(await records.acquireLease({ ...lease, holder: 'another' })).toBe(true);
          return existing;
        },
      },
    });
    await expect(overtaken.runRound()).rejects.toThrow('another process holds the lease');
    expect((await readCheckpoint()).size).toBe(2);
    await runToEnd(start({ lease: { ...lease, holder: 'another' } }));
    expect((await readCheckpoint()).size).toBe(4);
  });

  it('and not when it was killed after any step', async () => {
    await runToEnd(start());
    await addLeaves(database, 2);
    for (const name of ['writeOnce', 'replaceCheckpoint'] as const) {
      const killed = start({ files: { ...files, [name]: () => Promise.reject(new Error('killed')) } });
      await expect(killed.runRound()).rejects.toThrow('killed');
    }
    await runToEnd(start());
    expect((await readCheckpoint()).size).toBe(4);
  });

  it('and not when another process goes on in its place, before or after any step', async () => {
    await runToEnd(start());
    const other = { ...lease, holder: 'another' };
    const takeOver = async () => {
      await records.releaseLease(lease);
      expect(await records.acquireLease(other)).toBe(true);
      await addLeaves(database, 1);
      await runToEnd(start({ lease: other }));
    };
    // The last step holds the lock that the other one waits for.
    const steps = sequencerSteps.filter((step) => step !== 'replaceCheckpoint');
    const left = new Set(steps.flatMap((step) => [`${step} before`, `${step} after`]));
    for (const place of left) {
      await addLeaves(database, 1);
      const overtaken = start({
        fault: async (step, when) => {
          if (`${step} ${when}` === place && left.delete(place)) await takeOver();
        },
      });
      const stopped = await overtaken.runRound().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(stopped, place).not.toBeInstanceOf(LogStoppedError);
      await records.releaseLease(other);
      expect(await records.acquireLease(lease)).toBe(true);
      await runToEnd(start());
    }
    expect([...left]).toEqual([]);
    expect((await readCheckpoint()).size).toBe(2 + 2 * 16);
  });
});

describe('a key', () => {
  it('has to be an Ed25519 key', () => {
    const rsa = String(
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    );
    expect(() => readLogKeys(rsa)).toThrow('not an Ed25519 key');
    expect(() => readLogKeys('')).toThrow('it has no key');
    expect(readLogKeys(logKeyPem + logKeyPem)).toHaveLength(2);
    expect(createLogSigners(ORIGIN, [createPrivateKey(logKeyPem)]).map(describeSigner)).toEqual([
      expect.stringMatching(/^registry\.example\/log\+[0-9a-f]{8}\+/),
    ]);
  });
});

it('A signed copy or an Artifact that was recorded without a leaf gets one that says so, unless its manifest is gone', async () => {
  await runToEnd(start());
  // As a recovery adds them, or a process of an earlier release.
  const [user, mark] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  await sql`insert into users (id, name) values (${user}, 'Ada')`.execute(database);
  await sql`
    insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
    values (${mark}, 'Mark', 'mark', 'private', 'MIT', ${user}, ${user})`.execute(database);
  const [kept, gone] = [newFingerprint(), newFingerprint()];
  for (const [place, fingerprint] of [kept, gone].entries()) {
    await sql`
      insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
      values (${`00000000-0000-4000-8000-00000000000${place + 3}`}, ${mark}, ${user}, ${Buffer.from(fingerprint.slice(2), 'hex')},
        ${Buffer.alloc(32)}, '{"licenseKey": "MIT", "allowAiTraining": false}')`.execute(database);
  }
  const lost: string[] = [];
  const sources: SequencerOptions['sources'] = {
    files: { read: async (name) => (name.includes('0003') ? Buffer.from('manifest') : undefined) },
    clock: () => new Date(),
    onLost: ({ fingerprint }) => void lost.push(fingerprint),
  };
  await runToEnd(start({ sources }));
  const [leaf, ...others] = (await readLeaves()).slice(2);
  expect(leaf).toMatchObject({
    kind: 'artifact',
    content: { fingerprint: kept, imported: true, hidden: expect.any(String) },
  });
  expect([others, lost]).toEqual([[], [gone]]);
});
