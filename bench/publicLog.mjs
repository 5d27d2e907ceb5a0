// The public log: leaves that are sequenced a second, on disk with every sync, and what the log takes from the rate of creations.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { LogSequenceQueries } from '../packages/server/dist/database/queries/log/logSequence.js';
import { registrationEntry } from '../packages/server/dist/domain/log/leaves.js';
import { openLogDisk } from '../packages/server/dist/files/logDisk.js';
import { createLogSigners } from '../packages/server/dist/publicLog/keys.js';
import { Sequencer } from '../packages/server/dist/publicLog/sequencer.js';
import { report } from './report.mjs';
import { createFolder, generateCreations, measureRounds, openRegistry, runSql, startDatabase } from './support.mjs';

/** What 2,000 registrations a second write between two rounds. */
const LEAVES_PER_ROUND = 400;
const ROUNDS = 50;
const CREATION_ROUNDS = 15;
const CREATIONS = { connections: 8, seconds: 3 };
/** Creations until JavaScript and WebAssembly are optimized. */
const WARM_UP = 1_500;
const LEASE = { name: 'public-log', holder: 'bench', ms: 3_600_000 };
const ORIGIN = 'registry.example/log';

const { privateKey } = generateKeyPairSync('ed25519');

await measureSequencer();
await measureCreations();

async function measureSequencer() {
  const server = await startDatabase();
  await migrateToLatest(server.address);
  const database = openDatabase(server.address);
  const folder = await createFolder();
  const sequencer = await openSequencer(database, folder);
  await runToEnd(sequencer);
  for (let round = 0; round < ROUNDS; round += 1) await addLeaves(database, LEAVES_PER_ROUND);
  // Each round sees its own leaves alone.
  await sql`create table later as select * from log_entries where leaf_index is null`.execute(database);
  await sql`delete from log_entries where leaf_index is null`.execute(database);
  let ms = 0;
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    await sql`
      with next as (delete from later where id in (select id from later order by id limit ${LEAVES_PER_ROUND}) returning *)
      insert into log_entries (kind, leaf, fingerprint) select kind, leaf, fingerprint from next order by id`.execute(
      database,
    );
    const startedAt = performance.now();
    await sequencer.runRound();
    ms += performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(before);
  const leaves = ROUNDS * LEAVES_PER_ROUND;
  const rate = (leaves / ms) * 1000;
  report({
    what: `leaves sequenced and published in rounds of ${LEAVES_PER_ROUND}, a second`,
    measured: `${rate.toFixed(0)}/s, ${(ms / ROUNDS).toFixed(0)} ms a round (${((user + system) / leaves).toFixed(0)} µs CPU a leaf)`,
    value: rate,
    target: ['at least', 2_000],
  });
  await database.destroy();
  await server.remove();
  await rm(folder, { recursive: true });
}

/** Two services side by side: in the database of one, no leaf is ever kept, so that its sequencer has nothing to do. */
async function measureCreations() {
  const withLog = await openCreations();
  const without = await openCreations();
  await runSql(
    without.registry.address,
    `create function drop_leaf() returns trigger language plpgsql as 'begin return null; end';
    create trigger drop_leaf before insert on log_entries for each row execute function drop_leaf()`,
  );
  for (const { create } of [withLog, without]) {
    for (let done = 0; done < WARM_UP; ) done += (await create()).count;
  }
  const rounds = await measureRounds(CREATION_ROUNDS, { with: withLog.create, without: without.create });
  report({
    what: `creating Artifacts over HTTP with the public log, ${CREATIONS.connections} in flight`,
    measured: `${rounds.median('with', 'rate').toFixed(0)}/s`,
    against: `without, ${rounds.median('without', 'rate').toFixed(0)}/s`,
    value: rounds.ratio('with', 'without', 'rate'),
    target: ['at least', 0.97],
  });
  for (const { registry } of [withLog, without]) await registry.close();
}

async function openCreations() {
  const registry = await openRegistry();
  const { token, markId } = await registry.createUser();
  const url = `${await registry.serve()}/api/v1/artifacts`;
  return { registry, create: () => generateCreations(url, { ...CREATIONS, token, markId }) };
}

/**
 * @param {import('../packages/server/dist/database/connection.js').Database} database
 * @param {string} folder
 */
async function openSequencer(database, folder) {
  const records = new LogSequenceQueries(database);
  if (!(await records.acquireLease(LEASE))) throw new Error('the lease is taken');
  const files = await openLogDisk(join(folder, 'public-log'));
  const sequencer = new Sequencer({
    records,
    files,
    sources: { files: { read: async () => undefined }, clock: () => new Date(), onLost: () => {} },
    lease: LEASE,
    origin: ORIGIN,
    openSigners: async (origin) => createLogSigners(origin, [privateKey]),
    registry: async () => ({ chain: 1, contract: `0x${'11'.repeat(20)}`, since: new Date(), signers: [] }),
  });
  return sequencer;
}

/** @param {Sequencer} sequencer */
async function runToEnd(sequencer) {
  for (let isDone = false; !isDone; ) {
    const { sequenced, published } = await sequencer.runRound();
    isDone = sequenced === 0 && published > 0;
  }
}

/** @param {import('../packages/server/dist/database/connection.js').Database} database @param {number} count */
async function addLeaves(database, count) {
  const entries = Array.from({ length: count }, makeEntry);
  await sql`
    insert into log_entries (kind, leaf, fingerprint)
    select 'artifact', leaf, decode(digits, 'hex')
    from unnest(${entries.map(({ leaf }) => leaf)}::text[], ${entries.map(({ fingerprint = '' }) => fingerprint.slice(2))}::text[])
      as added (leaf, digits)`.execute(database);
}

function makeEntry() {
  /** @type {`0x${string}`} */
  const fingerprint = `0x${randomBytes(32).toString('hex')}`;
  return registrationEntry({
    kind: 'artifact',
    fingerprint,
    artifactId: randomUUID(),
    markId: randomUUID(),
    isMarkPrivate: false,
    metadata: { licenseKey: 'CC-BY-4.0' },
    aiPreferences: null,
    manifest: fingerprint,
    manifestHash: fingerprint,
    createdAt: new Date(),
  });
}
