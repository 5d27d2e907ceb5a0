// Look-alikes of sound: which changes of a recording are still found, which unrelated ones are, and how fast, among a million
// recordings. The recordings of the corpus are composed here; the others have values only, as frequent as those of real music
// are: a hundred each, of which the most frequent is in 8 % of all and the middle one in one of 4,000. They have no Chromaprint
// of their own, to save the disk: each is compared as if it had that of a track of the corpus. Takes some 2 GB of disk.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { fingerprint } from '../packages/media/dist/node/index.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { computeExtract, SoundHashQueries } from '../packages/server/dist/database/queries/lookups/soundHashes.js';
import { findSoundLookalikes } from '../packages/server/dist/domain/lookups/soundLookalikes.js';
import { createSoundIndex } from '../packages/server/dist/lookalikes/soundIndex.js';
import { addNoise, changeSpeed, composeTrack, createRandom, excerpt, toWav } from './music.mjs';
import { report } from './report.mjs';
import { createFilledDatabase, insertMark, runSql, startDatabase } from './support.mjs';

const { values: options } = parseArgs({
  options: { recordings: { type: 'string', default: '1000000' }, tracks: { type: 'string', default: '60' } },
});
const RECORDINGS = Number(options.recordings);
const TRACKS = Number(options.tracks);
const SECONDS = 121;
const VALUES = 100;
/** Different values: drawn by the square of a random number. */
const DIFFERENT_VALUES = 1_700_000;

/** @typedef {import('./music.mjs').Wave} Wave */
/** @typedef {{ artifactId: string, seed: number, chromaprint: string }} Track */

const tracks = await composeCorpus();
const { address: server, remove } = await startDatabase();
const address = await createFilledDatabase(server, 'sounds', 0);
const database = openDatabase(address, 60_000);
const { markId, userId } = await insertMark(database);
await fill();
const records = new SoundHashQueries(database);
const soundIndex = createSoundIndex({
  addMissing: (limit) => records.addMissing(limit),
  findCandidates: async (search) =>
    (await records.findCandidates(search)).map((candidate, index) => ({
      ...candidate,
      chromaprint: candidate.chromaprint || (tracks[index % tracks.length]?.chromaprint ?? ''),
    })),
});
/** @type {number[]} */
const times = [];
/** @type {Set<string>} */
const trackIds = new Set(tracks.map(({ artifactId }) => artifactId));
const unrelated = { found: 0, asked: 0 };

const hasLame = spawnSync('lame', ['--version']).error === undefined;
if (!hasLame) console.log('MP3 is not measured: the program lame is not installed.');
/** @type {Record<string, (wave: Wave, seed: number) => Uint8Array[]>} */
const changes = {
  ...(hasLame && { 'MP3, 96 kbit/s': (wave) => [toMp3(wave)] }),
  'noise, 20 dB below': (wave, seed) => [toWav(addNoise(wave, 20, seed))],
  'noise, 10 dB below': (wave, seed) => [toWav(addNoise(wave, 10, seed))],
  '1 % faster': (wave) => [toWav(changeSpeed(wave, 1.01))],
  '1 % slower': (wave) => [toWav(changeSpeed(wave, 0.99))],
  '20 seconds of it': (wave, seed) => excerpts(wave, seed).map(toWav),
  ...(hasLame && { '20 seconds of it, MP3, 96 kbit/s': (wave, seed) => excerpts(wave, seed).map(toMp3) }),
};
/** @type {Map<string, boolean[]>} */
const results = new Map(Object.keys(changes).map((name) => [name, []]));
for (const track of tracks) {
  const wave = composeTrack(track.seed, SECONDS);
  for (const [name, change] of Object.entries(changes)) {
    for (const file of change(wave, track.seed)) results.get(name)?.push(await isFound(file, track));
  }
}
for (const [name, found] of results) {
  const count = found.filter(Boolean).length;
  const share = count / found.length;
  report({ what: `sound found: ${name}`, measured: `${count} of ${found.length}`, value: share });
}
report({
  what: 'other tracks of the corpus found, of all questions',
  measured: `${unrelated.found} in ${unrelated.asked} questions × ${tracks.length - 1} tracks`,
  value: unrelated.found / (unrelated.asked * (tracks.length - 1)),
});
times.sort((a, b) => a - b);
const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
const median = times[times.length >> 1] ?? 0;
report({
  what: `a question about sound, ${RECORDINGS / 1e6} million recordings, p95, ms`,
  measured: `${p95.toFixed(0)} ms (median ${median.toFixed(0)} ms, ${times.length} questions)`,
  value: p95,
  target: ['at most', 100],
});
const { rows } = await sql`
  select pg_relation_size('sound_codes_by_value') / 1e6 as index, pg_table_size('sound_codes') / 1e6 as rows`.execute(
  database,
);
const size = /** @type {{ index: string, rows: string }} */ (rows[0]);
report({
  what: 'index of sound, MB',
  measured: `${Math.round(Number(size.index))} MB, and ${Math.round(Number(size.rows))} MB of its table`,
  value: Number(size.index),
});
await database.destroy();
await remove();

async function composeCorpus() {
  /** @type {Track[]} */
  const corpus = [];
  for (let seed = 1; seed <= TRACKS; seed += 1) {
    const computed = await fingerprint(toWav(composeTrack(seed, SECONDS)));
    corpus.push({ artifactId: randomUUID(), seed, chromaprint: computed?.text ?? '' });
  }
  return corpus;
}

/** @param {Wave} wave @returns {Uint8Array} */
function toMp3(wave) {
  return execFileSync('lame', ['--quiet', '-b', '96', '-', '-'], { input: toWav(wave), maxBuffer: 2 ** 26 });
}

/** Two, at random offsets. @param {Wave} wave @param {number} seed */
function excerpts(wave, seed) {
  const random = createRandom(seed + 1_000_000);
  return [1, 2].map(() => excerpt(wave, random() * (SECONDS - 21), 20));
}

/** @param {Uint8Array} file @param {Track} track */
async function isFound(file, { artifactId }) {
  const chromaprint = (await fingerprint(file))?.text ?? '';
  const startedAt = performance.now();
  const hits = await findSoundLookalikes({ soundIndex }, chromaprint, { limit: 50 });
  times.push(performance.now() - startedAt);
  const ids = hits.map((hit) => hit.artifactId).filter((id) => trackIds.has(id));
  unrelated.asked += 1;
  unrelated.found += ids.filter((id) => id !== artifactId).length;
  return ids.includes(artifactId);
}

/** The index is built at the end, which is faster. */
async function fill() {
  const client = new pg.Client(address);
  await client.connect();
  const { rows: definitions } = await client.query(
    `select indexdef from pg_indexes where indexname = 'sound_codes_by_value'`,
  );
  const own = tracks.map(({ chromaprint }) => computeExtract(chromaprint));
  await client.query(`drop index sound_codes_by_value; set session_replication_role = replica; select setseed(0.5)`);
  // Values of the corpus are as frequent as others: they take random places among all values.
  await client.query('create table values_by_rank (list integer[])');
  await client.query('insert into values_by_rank values ($1)', [rankValues(own.flat())]);
  await client.query(
    `insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
     select gen_random_uuid(), '${markId}', '${userId}', 2, sha256(number::text::bytea), sha256('x'), '{"chromaprint": ""}'
     from generate_series(1, ${RECORDINGS}) number`,
  );
  // In a variable: reading the list for each row would take hours.
  await client.query(
    `do $$
     declare ranked integer[] := (select list from values_by_rank);
     begin
       insert into sound_codes
       select id, (
         select array_agg(ranked[1 + floor(${DIFFERENT_VALUES} * random() ^ 2)::integer])
         from generate_series(1, ${VALUES}) where id is not null
       ) from artifacts;
     end $$`,
  );
  for (const [index, { artifactId, chromaprint }] of tracks.entries()) {
    const hash = createHash('sha256').update(`track ${index}`).digest();
    await client.query(
      `insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
       values ($1, $2, $3, 2, $4, $4, jsonb_build_object('chromaprint', $5::text))`,
      [artifactId, markId, userId, hash, chromaprint],
    );
    await client.query('insert into sound_codes values ($1, $2)', [artifactId, own[index]]);
  }
  await client.query(`set maintenance_work_mem = '1GB'`);
  await client.query(String(definitions[0].indexdef));
  await client.end();
  for (const table of ['artifacts', 'sound_codes']) await runSql(address, `vacuum analyze ${table}`);
}

/** Every value once, in an order in which those of the corpus are drawn as often as others. @param {number[]} own */
function rankValues(own) {
  const random = createRandom(7);
  const ranked = Int32Array.from({ length: DIFFERENT_VALUES }, () => random() * 2 ** 32);
  for (const value of own) ranked[Math.floor(DIFFERENT_VALUES * random() ** 2)] = value;
  return [...ranked];
}
