// What a lookup costs: against the same route with a constant behind it, and with a million Artifacts against ten
// thousand.

import pg from 'pg';
import { artifactQueries } from '../packages/server/dist/database/artifacts.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { askTogether } from '../packages/server/dist/together.js';
import { load, median, openParts } from './support.mjs';

const ROUNDS = 7;
const SECONDS = 1.2;
const CONNECTIONS = 32;
const FEW = 10_000;
const MANY = 1_000_000;

const parts = await openParts();
const few = await fill('few', FEW);
const many = await fill('many', MANY);

/** How many were asked for, and in how many round trips. */
const shared = { lookups: 0, questions: 0 };
const artifacts = artifactQueries(few.database);
const lookup = askTogether((/** @type {Parameters<typeof artifacts.findIds>[0]} */ fingerprints) => {
  shared.questions += 1;
  return artifacts.findIds(fingerprints);
});
const path = '/api/c2pa/matches/byBinding?alg=com.service.sha256&value=';
const constant = await parts.serve({ lookup: async () => '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10' });
const withFew = await parts.serve({
  lookup(fingerprint) {
    shared.lookups += 1;
    return lookup(fingerprint);
  },
});
const withMany = await parts.serve({ lookup: askTogether(artifactQueries(many.database).findIds) });

const urls = {
  constant: `${constant}${path}{value 1 ${FEW}}`,
  few: `${withFew}${path}{value 1 ${FEW}}`,
  many: `${withMany}${path}{value 1 ${MANY}}`,
  miss: `${withFew}${path}{value ${MANY + 1} ${2 * MANY}}`,
};
/** @typedef {keyof typeof urls} Kind */
const kinds = /** @type {Kind[]} */ (Object.keys(urls));

/** @type {Record<Kind, { rate: number, cpu: number }[]>} */
const rounds = { constant: [], few: [], many: [], miss: [] };
for (const kind of kinds) await measure(kind);
shared.lookups = shared.questions = 0;
for (let round = 0; round < ROUNDS; round += 1) {
  for (const kind of kinds) rounds[kind].push(await measure(kind));
}

const rate = (/** @type {Kind} */ kind) => Math.round(median(rounds[kind].map((round) => round.rate)));
const cpu = (/** @type {Kind} */ kind) => Math.round(median(rounds[kind].map((round) => round.cpu)));
const perQuestion = (shared.lookups / shared.questions).toFixed(1);
console.log(
  `lookups that hit: ${rate('few')}/s (${cpu('few')} µs CPU of the service), with a constant behind the route ${rate('constant')}/s (${cpu('constant')} µs), ratio ${ratio('few', 'constant')} (target: at least 0.6)`,
);
console.log(
  `lookups that miss, the chain answering: ${rate('miss')}/s (${cpu('miss')} µs, the development chain's included), ratio ${ratio('miss', 'constant')}`,
);
console.log(`lookups that share a round trip to the database: ${perQuestion} (${CONNECTIONS} at a time)`);
console.log(
  `lookups with ${MANY} Artifacts: ${rate('many')}/s, with ${FEW}: ${rate('few')}/s, ratio ${ratio('many', 'few')} (target: at least 0.8)`,
);

await Promise.all([few.database.destroy(), many.database.destroy()]);
await parts.close();

/** @param {Kind} kind */
async function measure(kind) {
  const { rate, cpuMs } = await load(urls[kind], { connections: CONNECTIONS, seconds: SECONDS });
  return { rate, cpu: cpuMs * 1000 };
}

/**
 * Of the rounds' own ratios: what else the machine did fell on both.
 * @param {Kind} one
 * @param {Kind} other
 */
function ratio(one, other) {
  return median(rounds[one].map(({ rate }, round) => rate / (rounds[other][round]?.rate ?? 0))).toFixed(2);
}

/**
 * A database with so many Artifacts; the fingerprint of each is the SHA-256 of its number.
 * @param {string} name
 * @param {number} count
 */
async function fill(name, count) {
  const { address } = parts;
  await run(address, `create database ${name}`);
  const own = { ...address, database: name };
  const database = openDatabase(own);
  await migrateToLatest(database);
  const metadata = JSON.stringify({
    filename: 'sunrise.jpg',
    mediaType: 'image/jpeg',
    size: 482_133,
    kind: 'image',
    license: {
      name: 'Creative Commons Attribution 4.0 International',
      url: 'https://creativecommons.org/licenses/by/4.0/',
    },
    licenseKey: 'CC-BY-4.0',
    allowAiTraining: false,
    author: { id: '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10', name: 'Ada Lovelace' },
    mark: { id: '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10', name: 'Ada Lovelace Photography' },
  });
  await run(
    own,
    // References are not checked: these rows have none.
    `set session_replication_role = replica;
    insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 2, sha256(number::text::bytea), sha256('x'), '${metadata}'
    from generate_series(1, ${count}) number`,
  );
  await run(own, 'vacuum analyze artifacts');
  await run(own, 'checkpoint');
  return { database };
}

/**
 * @param {import('../packages/server/dist/database/connection.js').DatabaseAddress} address
 * @param {string} sql
 */
async function run(address, sql) {
  const client = new pg.Client(address);
  await client.connect();
  await client.query(sql);
  await client.end();
}
