// The list of fingerprints by prefix with ten million Artifacts, all of them mirrored from the chain, against a lookup that
// finds its file among them. Takes some 6 GB of disk.

import pg from 'pg';
import { batchLoad } from '../packages/server/dist/database/batching.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { lookupQueries } from '../packages/server/dist/database/queries/lookups/lookups.js';
import { report } from './report.mjs';
import {
  createFilledDatabase,
  fillMirror,
  generateLoad,
  lookupUrl,
  measureRounds,
  openRegistry,
  runSql,
} from './support.mjs';

const ROUNDS = 7;
const SECONDS = 1.5;
const CONNECTIONS = 32;
const ARTIFACTS = 10_000_000;
const MARKS = 100_000;
const OTHERS = 100_000;
/** Warms the caches of database and operating system: each request reads other pages. */
const WARM_UPS = 4;

const registry = await openRegistry();
const address = await createFilledDatabase(registry.address, 'prefixes', 0);
await fillArtifacts();
await fillMirror(address, ARTIFACTS + 1, ARTIFACTS + OTHERS);
const database = openDatabase(address);
const { store } = registry.ports;
const lookups = lookupQueries(database);
const url = await registry.serve({ store: { ...store, lookups } });
const page = await lookups.listByPrefix({ prefix: 'abcd', after: undefined, withMarks: false });
const constantUrl = await registry.serve({
  store: { ...store, lookups: { ...lookups, listByPrefix: async () => page } },
});
const pool = new pg.Pool(address);
const loadLeast = createLeastList();
const leastUrl = await registry.serve({
  store: { ...store, lookups: { ...lookups, listByPrefix: async ({ prefix }) => (await loadLeast(prefix)) ?? page } },
});

/** @param {string} target */
const ask = (target) => () => generateLoad(target, { connections: CONNECTIONS, seconds: SECONDS });
const variants = {
  hit: ask(lookupUrl(url, 1, ARTIFACTS)),
  prefix: ask(`${url}/api/v1/public/fingerprints/{prefix}`),
  constant: ask(`${constantUrl}/api/v1/public/fingerprints/{prefix}`),
  least: ask(`${leastUrl}/api/v1/public/fingerprints/{prefix}`),
  marks: ask(`${url}/api/v1/public/fingerprints/{prefix}?marks=true`),
};
for (let round = 0; round < WARM_UPS; round += 1) for (const warmUp of Object.values(variants)) await warmUp();
const rounds = await measureRounds(ROUNDS, variants);

/** @typedef {keyof typeof variants} Variant */
const rate = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'rate'));
const cpu = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'cpuMs') * 1000);
report({
  what: 'list by prefix, ten million Artifacts',
  measured: `${rate('prefix')}/s (${cpu('prefix')} µs CPU)`,
  against: `the least that a list can be, ${rate('least')}/s (${cpu('least')} µs)`,
  value: rounds.ratio('prefix', 'least', 'rate'),
  target: ['at least', 0.75],
});
report({
  what: 'the least that a list can be: its rows read from both tables, and a constant of as many bytes',
  measured: `${rate('least')}/s (${cpu('least')} µs CPU)`,
  against: `a lookup by binding, hit, ${rate('hit')}/s`,
  value: rounds.ratio('least', 'hit', 'rate'),
});
report({
  what: 'a constant of as many bytes',
  measured: `${rate('constant')}/s (${cpu('constant')} µs CPU)`,
  against: `a lookup by binding, hit, ${rate('hit')}/s`,
  value: rounds.ratio('constant', 'hit', 'rate'),
});
report({
  what: 'the same with public Marks',
  measured: `${rate('marks')}/s (${cpu('marks')} µs CPU)`,
  against: `a lookup by binding, hit, ${rate('hit')}/s`,
  value: rounds.ratio('marks', 'hit', 'rate'),
});
const { entries } = /** @type {{ entries: unknown[] }} */ (
  await (await fetch(`${url}/api/v1/public/fingerprints/abcd`)).json()
);
report({ what: 'entries of one list', measured: String(entries.length), value: entries.length });

await Promise.all([database.destroy(), pool.end()]);
await registry.close();

/** Reads the rows of a list, several lists at a time as the service does, and returns the constant. */
function createLeastList() {
  const rowsOf = (/** @type {string} */ table) =>
    `(select count(fingerprint) from ${table} where fingerprint > asked.first and fingerprint <= asked.last)`;
  const text = `select ${rowsOf('artifacts')} + ${rowsOf('chain_entries')} from unnest($1::bytea[], $2::bytea[]) asked (first, last)`;
  return batchLoad(async (/** @type {readonly string[]} */ prefixes) => {
    const ends = ['0', 'f'].map((digit) => prefixes.map((prefix) => Buffer.from(prefix.padEnd(64, digit), 'hex')));
    await pool.query({ name: 'least', text, values: ends });
    return new Map(prefixes.map((prefix) => [prefix, page]));
  }, 32);
}

/** Indexes that no query here uses are dropped: they would take most of the time. */
async function fillArtifacts() {
  const unused = [
    'artifacts_failed_by_fingerprint',
    'artifacts_renditions',
    'artifacts_by_mark',
    'artifacts_by_creator',
  ];
  await runSql(
    address,
    `drop index ${unused.join(', ')}, chain_entries_by_block;
     set session_replication_role = replica;
     insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
     select md5(number::text)::uuid, 'Mark', 'mark', case when number % 100 = 0 then 'private' else 'public' end,
       'NONE_SPECIFIED', md5('user')::uuid, md5('user')::uuid
     from generate_series(0, ${MARKS - 1}) number;
     insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
     select gen_random_uuid(), md5((number % ${MARKS})::text)::uuid, md5('user')::uuid, 2, sha256(number::text::bytea),
       sha256('x'), '{}'
     -- In the order of the index, which is built several times faster then.
     from (select number from generate_series(1, ${ARTIFACTS}) number order by sha256(number::text::bytea)) numbers;
     insert into chain_entries
       (fingerprint, source, manifest_id, manifest_hash, registered_by, block_number, log_index, registered_at, is_own)
     select fingerprint, 1, id::text, manifest_hash, substring(manifest_hash for 20), 1, 0, now(), true from artifacts`,
  );
  await runSql(address, 'vacuum analyze artifacts');
  await runSql(address, 'vacuum analyze marks');
  await runSql(address, 'checkpoint');
}
