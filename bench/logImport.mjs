// An upgrade to the public log: a million Artifacts of before are imported while the service answers lookups. And the size of
// receipts of so large a log.

import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleArtifact } from '@provenance-registry/core';
import { encodeUtf8, formatReceipt, parseReceipt } from '@provenance-registry/log';
import pg from 'pg';
import { startEmbeddedDatabase } from '../packages/server/dist/database/embedded/index.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { report } from './report.mjs';
import { createFolder, fail, openRegistry } from './support.mjs';
import { UpgradeLoad } from './upgradeLoad.mjs';

const IMPORTED = 1_000_000;
const IMPORTED_TEXT = IMPORTED.toLocaleString('en');
/** Of a sidecar. */
const MANIFEST_BYTES = 8_192;
const WRITTEN_AT_ONCE = 1_000;
/** Names that ext4 allows for one file. */
const MAX_LINKS = 60_000;
const LOOKUP_CLIENTS = 2;
const POLL_MS = 500;
/** Lookups after the import, to compare with. */
const AFTER_MS = 20_000;
/** A name as long, 12 bytes with the time before the signature, in base64. */
const COSIGNATURE_LINE = `— witness.example/w1 ${randomBytes(76).toString('base64')}\n`;

const dataDir = await createFolder();
await fillFolder();
const startedAt = performance.now();
const registry = await openRegistry({ DATA_DIR: dataDir, BASE_URL: 'https://registry.example', BILLING: 'operator' });
try {
  await measureImport();
  await measureReceipts();
} finally {
  await registry.close();
  await rm(dataDir, { recursive: true });
}

async function fillFolder() {
  const embedded = await startEmbeddedDatabase({ dataDir, notify: () => {}, onLost: fail });
  await migrateToLatest(embedded.address);
  const client = new pg.Client(embedded.address);
  await client.connect();
  const { rows } = await client.query(`
    with owner as (insert into users (id, name) values (gen_random_uuid(), 'Ada') returning id)
    insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
    select gen_random_uuid(), 'Mark', 'mark', 'public', 'NONE_SPECIFIED', id, id from owner returning id, owner_id`);
  const [{ id, owner_id }] = rows;
  // Without triggers: these Artifacts are from before the log.
  await client.query(`
    set session_replication_role = replica;
    insert into artifacts (id, mark_id, created_by, created_at, status, fingerprint, manifest_hash, metadata)
    select gen_random_uuid(), '${id}', '${owner_id}', now() - number * interval '1 second', 2, sha256(number::text::bytea),
      sha256('x'), '${JSON.stringify(exampleArtifact.metadata)}'
    from generate_series(1, ${IMPORTED}) number;
    insert into log_import (position, kind, id)
    select row_number() over (order by created_at, id), 'artifact', id from artifacts`);
  await writeManifests(client);
  console.log(`${IMPORTED_TEXT} Artifacts are there.`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  await embedded.stop();
}

/** A name for each Artifact; the files are few, so that they are read from memory. @param {pg.Client} client */
async function writeManifests(client) {
  const folder = join(dataDir, 'public');
  await mkdir(folder);
  const sources = [];
  for (let count = 0; count <= IMPORTED / MAX_LINKS; count += 1) {
    const path = join(folder, `source-${count}`);
    await writeFile(path, randomBytes(MANIFEST_BYTES));
    sources.push(path);
  }
  for (let from = 0; from < IMPORTED; from += WRITTEN_AT_ONCE) {
    const { rows } = await client.query('select id from log_import where position > $1 and position <= $2', [
      from,
      from + WRITTEN_AT_ONCE,
    ]);
    const source = sources[Math.floor(from / MAX_LINKS)] ?? '';
    await Promise.all(rows.map(({ id }) => link(source, join(folder, `${id}.c2pa`))));
  }
}

async function measureImport() {
  const url = await registry.serve();
  const lookUp = async (/** @type {number} */ number) => {
    const value = hashOf(number).toString('base64url');
    const response = await fetch(`${url}/api/c2pa/matches/byBinding?alg=com.service.sha256&value=${value}`);
    return (await response.text()).includes('manifestId');
  };
  const load = new UpgradeLoad([{ lookUp, create: async () => {} }], {
    artifacts: IMPORTED,
    lookups: LOOKUP_CLIENTS,
    creations: 0,
  });
  load.begin('during');
  const before = process.cpuUsage();
  while (!(await registry.ports.log.readReceipt(IMPORTED - 1))) await delay(POLL_MS);
  const minutes = (performance.now() - startedAt) / 60_000;
  const { user, system } = process.cpuUsage(before);
  load.begin('after');
  await delay(AFTER_MS);
  await load.end();
  if (load.failures.length > 0) throw new Error(load.failures[0]);
  report({
    what: `import of ${IMPORTED_TEXT} Artifacts into the log from the start of the service, manifests in memory, minutes`,
    measured: `${minutes.toFixed(1)} minutes (${((user + system) / IMPORTED).toFixed(0)} µs CPU each, lookups included)`,
    value: minutes,
    target: ['at most', 5],
  });
  for (const share of [0.5, 0.99]) {
    report({
      what: `lookups of ${LOOKUP_CLIENTS} clients during the import, ${share === 0.5 ? 'median' : '99th percentile'}`,
      measured: `${load.percentile('during', share).toFixed(1)} ms of ${load.times.get('during')?.length}`,
      against: `after it, ${load.percentile('after', share).toFixed(1)} ms`,
      value: load.percentile('during', share) / load.percentile('after', share),
    });
  }
}

async function measureReceipts() {
  const proven = await registry.ports.log.readReceipt(Math.floor(IMPORTED / 3));
  if (!proven) throw new Error('the log is not published');
  const receipt = parseReceipt(proven.receipt);
  const signed = receipt.checkpoint + COSIGNATURE_LINE.repeat(3);
  /** @param {number} hashes @param {string} checkpoint */
  const sizeOf = (hashes, checkpoint) =>
    encodeUtf8(
      formatReceipt({ ...receipt, hashes: Array.from({ length: hashes }, () => new Uint8Array(32)), checkpoint }),
    ).length;
  const bytes = encodeUtf8(proven.receipt).length;
  report({
    what: `a receipt at ${IMPORTED_TEXT} leaves, bytes`,
    measured: `${bytes} bytes, ${sizeOf(receipt.hashes.length, signed)} with three cosignatures`,
    value: bytes,
    target: ['at most', 1_300],
  });
  // Thirty levels; index and size have three more digits each.
  report({
    what: 'with three at 1,000,000,000, computed',
    measured: `${sizeOf(30, signed) + 6} bytes`,
    value: sizeOf(30, signed) + 6,
    target: ['at most', 2_200],
  });
}

/** @param {number} number */
function hashOf(number) {
  return createHash('sha256').update(String(number)).digest();
}
