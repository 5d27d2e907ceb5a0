// Lists and lookups in a database of 20 million Artifacts against one of a million: `node bench/size.mjs [--artifacts 20000000]`.
// The statements of the service, one at a time; half of the Artifacts are under one Mark. Takes some 10 GB of disk.

import { createHash, randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { ArtifactRecorder } from '../packages/server/dist/database/queries/artifacts/artifactRecorder.js';
import { ArtifactQueries } from '../packages/server/dist/database/queries/artifacts/artifacts.js';
import { lookupQueries } from '../packages/server/dist/database/queries/lookups/lookups.js';
import { report } from './report.mjs';
import { measureRounds, median, startDatabase } from './support.mjs';

const { values } = parseArgs({ options: { artifacts: { type: 'string', default: '20000000' } } });
const LARGE = Number(values.artifacts);
const SMALL = LARGE / 20;
const USERS = 10_000;
const MARKS = 50_000;
const ROUNDS = 7;
const CALLS = 100;
const PAGE = { limit: 50, status: undefined };
/** The Mark with half of the Artifacts, and its owner. */
const LARGEST = { markId: uuidOf('mark1'), userId: uuidOf('user1') };

const server = await startDatabase();
const small = await openFilled('small', SMALL);
const large = await openFilled('large', LARGE);
/** Reads of one kind. @type {Record<string, (database: Filled) => Promise<unknown>>} */
const reads = {
  'a lookup that finds an Artifact': ({ lookups, count }) => lookups.findHolder(fingerprintOf(randomInt(count) + 1)),
  'a lookup that finds none': ({ lookups, count }) => lookups.findHolder(fingerprintOf(count + 1 + randomInt(count))),
  'the page of an Artifact': ({ artifacts, count }) => artifacts.find(fingerprintOf(randomInt(count) + 1)),
  'the first page of a Mark with half of all Artifacts': ({ artifacts }) =>
    artifacts.list({ ...PAGE, markId: LARGEST.markId, after: undefined }),
  'a page in the middle of it': ({ artifacts, count }) =>
    artifacts.list({ ...PAGE, markId: LARGEST.markId, after: uuidOf(`artifact${2 * (randomInt(count / 2) + 1)}`) }),
  'a page of any other Mark': ({ artifacts }) =>
    artifacts.list({ ...PAGE, markId: uuidOf(`mark${randomInt(2, MARKS)}`), after: undefined }),
  'the newest Artifacts of a user': ({ artifacts }) => artifacts.listWritable(ownPage('newest')),
  'the Artifacts of a user by name': ({ artifacts }) => artifacts.listWritable(ownPage('name')),
};

/** @typedef {Awaited<ReturnType<typeof openFilled>>} Filled */
for (const [what, read] of Object.entries(reads)) {
  const variants = { small: () => measureRead(read, small), large: () => measureRead(read, large) };
  await variants.small();
  await variants.large();
  const rounds = await measureRounds(ROUNDS, variants);
  const describe = (/** @type {'small' | 'large'} */ name) =>
    `${rounds.median(name, 'median').toFixed(2)} ms, p95 ${rounds.median(name, 'p95').toFixed(2)} ms`;
  report({
    what: `${what}, ${LARGE.toLocaleString('en')} Artifacts`,
    measured: describe('large'),
    against: `${SMALL.toLocaleString('en')}, ${describe('small')}`,
    value: rounds.ratio('large', 'small', 'median'),
  });
}
for (const { name, client } of [small, large]) {
  const { rows } = await client.query(
    `select pg_relation_size('artifacts') as rows, pg_indexes_size('artifacts') as indexes from artifacts limit 1`,
  );
  console.log(`${name}: rows ${rows[0].rows} bytes, indexes ${rows[0].indexes} bytes`);
}
await Promise.all([small, large].map((one) => one.close()));
await server.remove();

/** @param {'newest' | 'name'} sort */
function ownPage(sort) {
  return { writer: { userId: LARGEST.userId }, sort, limit: PAGE.limit, after: undefined };
}

/** @param {(database: Filled) => Promise<unknown>} read @param {Filled} database */
async function measureRead(read, database) {
  const times = [];
  for (let call = 0; call < CALLS; call += 1) {
    const startedAt = performance.now();
    await read(database);
    times.push(performance.now() - startedAt);
  }
  times.sort((one, other) => one - other);
  return { median: median(times), p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

/** @param {string} name @param {number} count */
async function openFilled(name, count) {
  const setup = new pg.Client(server.address);
  await setup.connect();
  await setup.query(`create database ${name}`);
  await setup.end();
  const address = { ...server.address, database: name };
  await migrateToLatest(address);
  const client = new pg.Client(address);
  await client.connect();
  const startedAt = performance.now();
  await fill(client, count);
  console.log(`${name}: ${count} Artifacts in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const database = openDatabase(address);
  return {
    name,
    count,
    client,
    lookups: lookupQueries(database),
    artifacts: new ArtifactQueries(database, new ArtifactRecorder(database)),
    close: () => Promise.all([client.end(), database.destroy()]),
  };
}

/** Without indexes and checks, which are much quicker to build at the end. @param {pg.Client} client @param {number} count */
async function fill(client, count) {
  const { rows } = await client.query(
    `select indexname, indexdef from pg_indexes where tablename = 'artifacts' and indexname <> 'artifacts_pkey'`,
  );
  await client.query(`set session_replication_role = replica`);
  await client.query(`set maintenance_work_mem = '1GB'`);
  await client.query('alter table artifacts drop constraint artifacts_pkey cascade');
  await client.query(`drop index ${rows.map(({ indexname }) => indexname).join(', ')}`);
  await client.query(`
    insert into users (id, name) select md5('user' || n)::uuid, 'User' from generate_series(1, ${USERS}) n`);
  await client.query(`
    insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
    select md5('mark' || n)::uuid, 'Mark', 'mark', 'public', 'NONE_SPECIFIED', owner, owner
    from (select n, md5('user' || case when n = 1 then 1 else 2 + n % ${USERS - 1} end)::uuid as owner from generate_series(1, ${MARKS}) n) marks`);
  await client.query(`
    insert into artifacts (id, mark_id, created_by, created_at, status, fingerprint, manifest_hash, metadata)
    select md5('artifact' || n)::uuid, md5('mark' || mark)::uuid,
      md5('user' || case when mark = 1 then 1 else 2 + mark % ${USERS - 1} end)::uuid,
      now() - (${count} - n) * interval '1 second', 2, sha256(n::text::bytea), sha256('manifest'),
      jsonb_build_object('filename', 'file-' || n || '.jpg', 'kind', 'image', 'size', 482133, 'licenseKey', 'CC-BY-4.0')
    from (select n, case when n % 2 = 0 then 1 else 2 + n % ${MARKS - 1} end as mark from generate_series(1, ${count}) n) numbered`);
  await client.query('alter table artifacts add primary key (id)');
  for (const { indexdef } of rows) await client.query(indexdef);
  for (const table of ['artifacts', 'marks', 'users']) await client.query(`vacuum analyze ${table}`);
  await client.query('checkpoint');
}

/** @param {number} number @returns {`0x${string}`} */
function fingerprintOf(number) {
  return `0x${createHash('sha256').update(String(number)).digest('hex')}`;
}

/** As `md5(text)::uuid` in SQL. @param {string} text */
function uuidOf(text) {
  const digits = createHash('md5').update(text).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
