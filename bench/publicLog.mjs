// The public log: leaves that are sequenced a second, on disk with every sync; the time from a registration to its receipt; the
// size of receipts; and the import of a million Artifacts of a registry that was there before.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleArtifact } from '@provenance-registry/core';
import { encodeUtf8, formatReceipt, parseReceipt } from '@provenance-registry/log';
import { sql } from 'kysely';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { LogSequenceQueries } from '../packages/server/dist/database/queries/log/logSequence.js';
import { registrationEntry } from '../packages/server/dist/domain/log/leaves.js';
import { joinDiskStore, openDiskStore } from '../packages/server/dist/files/disk.js';
import { openLogDisk } from '../packages/server/dist/files/logDisk.js';
import { createLogSigners } from '../packages/server/dist/publicLog/keys.js';
import { createLogReader } from '../packages/server/dist/publicLog/reader.js';
import { Sequencer } from '../packages/server/dist/publicLog/sequencer.js';
import { report } from './report.mjs';
import { createFolder, insertMark, openRegistry, runSql, startDatabase } from './support.mjs';

/** What 2,000 registrations a second write between two rounds. */
const LEAVES_PER_ROUND = 400;
const ROUNDS = 50;
const RECEIPTS = 200;
const IMPORTED = 1_000_000;
/** Of a sidecar. */
const MANIFEST_BYTES = 8_192;
const WRITTEN_AT_ONCE = 1_000;
/** Names that ext4 allows for one file. */
const MAX_LINKS = 60_000;
const LEASE = { name: 'public-log', holder: 'bench', ms: 3_600_000 };
const ORIGIN = 'registry.example/log';
/** A name as long, 12 bytes with the time before the signature, in base64. */
const COSIGNATURE_LINE = `— witness.example/w1 ${randomBytes(76).toString('base64')}\n`;

const { privateKey } = generateKeyPairSync('ed25519');

await measureSequencer();
await measureReceipts();
await measureImport();

async function measureSequencer() {
  const server = await startDatabase();
  await migrateToLatest(server.address);
  const database = openDatabase(server.address);
  const folder = await createFolder();
  const { sequencer } = await openSequencer(database, folder, async () => undefined);
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

async function measureReceipts() {
  const registry = await openRegistry();
  const { token, markId } = await registry.createUser();
  const url = `${await registry.serve()}/api/v1/artifacts`;
  const times = [];
  for (let done = 0; done < RECEIPTS; done += 1) {
    const body = { markId, fingerprint: `0x${randomBytes(32).toString('hex')}`, filename: 'photo.jpg' };
    const create = (/** @type {Record<string, string>} */ headers) =>
      fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const startedAt = performance.now();
    /** @type {import('@provenance-registry/core').Artifact} */
    const { log } = JSON.parse(await (await create({ prefer: 'wait=10' })).text());
    if (log?.status !== 'included') throw new Error('there was no receipt within ten seconds');
    times.push((performance.now() - startedAt) / 1000);
  }
  times.sort((one, other) => one - other);
  const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
  report({
    what: 'from a registration to its receipt, one after the other, 95th percentile, seconds',
    measured: `${p95.toFixed(2)} s (median ${(times[times.length / 2] ?? 0).toFixed(2)} s)`,
    value: p95,
    target: ['at most', 1],
  });
  await registry.close();
}

async function measureImport() {
  const server = await startDatabase();
  await migrateToLatest(server.address);
  const database = openDatabase(server.address);
  const { userId, markId } = await insertMark(database);
  await runSql(
    server.address,
    // Without triggers: these Artifacts are from before the log.
    `set session_replication_role = replica;
    insert into artifacts (id, mark_id, created_by, created_at, status, fingerprint, manifest_hash, metadata)
    select gen_random_uuid(), '${markId}', '${userId}', now() - number * interval '1 second', 2, sha256(number::text::bytea),
      sha256('x'), '${JSON.stringify(exampleArtifact.metadata)}'
    from generate_series(1, ${IMPORTED}) number;
    insert into log_import (position, kind, id)
    select row_number() over (order by created_at, id), 'artifact', id from artifacts`,
  );
  const folder = await createFolder();
  const published = join(folder, 'public');
  await openDiskStore(published);
  await writeManifests(database, published);
  const store = joinDiskStore(published);
  const { sequencer, files } = await openSequencer(database, folder, (name) => store.read(name));
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await runToEnd(sequencer);
  const minutes = (performance.now() - startedAt) / 60_000;
  const { user, system } = process.cpuUsage(before);
  report({
    what: `import of ${IMPORTED.toLocaleString('en')} Artifacts into the log, minutes, manifests in memory`,
    measured: `${minutes.toFixed(1)} minutes (${(IMPORTED / minutes / 60).toFixed(0)}/s, ${((user + system) / IMPORTED).toFixed(0)} µs CPU each)`,
    value: minutes,
    target: ['at most', 5],
  });
  const proven = await createLogReader(files).readReceipt(Math.floor(IMPORTED / 3));
  if (!proven) throw new Error('the log is not published');
  const receipt = parseReceipt(proven.receipt);
  const signed = receipt.checkpoint + COSIGNATURE_LINE.repeat(3);
  const sizeOf = (/** @type {number} */ hashes) =>
    encodeUtf8(
      formatReceipt({
        ...receipt,
        hashes: Array.from({ length: hashes }, () => new Uint8Array(32)),
        checkpoint: signed,
      }),
    ).length;
  report({
    what: `a receipt at ${IMPORTED.toLocaleString('en')} leaves, bytes`,
    measured: `${encodeUtf8(proven.receipt).length} bytes`,
    value: encodeUtf8(proven.receipt).length,
    target: ['at most', 1_300],
  });
  // Thirty levels; the index has as many digits.
  report({
    what: 'the same at 1,000,000,000 with three cosignatures, computed',
    measured: `${sizeOf(30) + 6} bytes`,
    value: sizeOf(30) + 6,
    target: ['at most', 2_200],
  });
  await database.destroy();
  await server.remove();
  await rm(folder, { recursive: true });
}

/**
 * @param {import('../packages/server/dist/database/connection.js').Database} database
 * @param {string} folder
 * @param {(name: string) => Promise<Uint8Array | undefined>} read published manifests
 */
async function openSequencer(database, folder, read) {
  const records = new LogSequenceQueries(database);
  if (!(await records.acquireLease(LEASE))) throw new Error('the lease is taken');
  const files = await openLogDisk(join(folder, 'public-log'));
  const sequencer = new Sequencer({
    records,
    files,
    sources: { files: { read }, clock: () => new Date(), onLost: () => {} },
    lease: LEASE,
    origin: ORIGIN,
    openSigners: async (origin) => createLogSigners(origin, [privateKey]),
    registry: async () => ({ chain: 1, contract: `0x${'11'.repeat(20)}`, since: new Date(), signers: [] }),
  });
  return { sequencer, files, records };
}

/** @param {Sequencer} sequencer */
async function runToEnd(sequencer) {
  for (let isDone = false; !isDone; ) {
    const { sequenced, published, toImport } = await sequencer.runRound();
    isDone = sequenced === 0 && published > 0 && toImport === 0;
  }
}

/**
 * A name for each Artifact; the files are few, so that they are read from memory.
 * @param {import('../packages/server/dist/database/connection.js').Database} database
 * @param {string} folder
 */
async function writeManifests(database, folder) {
  const sources = [];
  for (let count = 0; count <= IMPORTED / MAX_LINKS; count += 1) {
    const path = join(folder, `source-${count}`);
    await writeFile(path, randomBytes(MANIFEST_BYTES));
    sources.push(path);
  }
  for (let from = 0; from < IMPORTED; from += WRITTEN_AT_ONCE) {
    /** @type {import('kysely').RawBuilder<{ id: string }>} */
    const query = sql`
      select id from log_import where position > ${from} and position <= ${from + WRITTEN_AT_ONCE}`;
    const { rows } = await query.execute(database);
    const source = sources[Math.floor(from / MAX_LINKS)] ?? '';
    await Promise.all(rows.map(({ id }) => link(source, join(folder, `${id}.c2pa`))));
  }
}

/** @param {import('../packages/server/dist/database/connection.js').Database} database @param {number} count */
async function addLeaves(database, count) {
  const entries = Array.from({ length: count }, () => {
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
  });
  await sql`
    insert into log_entries (kind, leaf, fingerprint)
    select 'artifact', leaf, decode(digits, 'hex')
    from unnest(${entries.map(({ leaf }) => leaf)}::text[], ${entries.map(({ fingerprint = '' }) => fingerprint.slice(2))}::text[])
      as added (leaf, digits)`.execute(database);
}
