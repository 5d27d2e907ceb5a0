// The cost of a lookup: against the same route with a constant result, and with a million Artifacts against ten thousand.

import { batchLoad } from '../packages/server/dist/database/batching.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { findArtifactIds } from '../packages/server/dist/database/queries/artifacts.js';
import { report } from './report.mjs';
import { createFilledDatabase, generateLoad, median, openRegistry } from './support.mjs';

/** @typedef {import('@provenance-registry/core').Fingerprint} Fingerprint */
/** @typedef {import('../packages/server/dist/domain/ports/index.js').Artifacts} Artifacts */

const ROUNDS = 7;
const SECONDS = 1.2;
const CONNECTIONS = 32;
const FEW = 10_000;
const MANY = 1_000_000;

const registry = await openRegistry();
const few = await open('few', FEW);
const many = await open('many', MANY);

/** Lookups, and the queries that they shared. */
const batching = { lookups: 0, queries: 0 };
const findInFew = batchLoad((/** @type {readonly Fingerprint[]} */ fingerprints) => {
  batching.queries += 1;
  return findArtifactIds(few.database, fingerprints);
});
const path = '/api/c2pa/matches/byBinding?alg=com.service.sha256&value=';
const constant = await serveWith(async () => '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10');
const withFew = await serveWith((fingerprint) => {
  batching.lookups += 1;
  return findInFew(fingerprint);
});
const withMany = await serveWith(batchLoad((fingerprints) => findArtifactIds(many.database, fingerprints)));

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
batching.lookups = batching.queries = 0;
for (let round = 0; round < ROUNDS; round += 1) {
  for (const kind of kinds) rounds[kind].push(await measure(kind));
}

const rate = (/** @type {Kind} */ kind) => Math.round(median(rounds[kind].map((round) => round.rate)));
const cpu = (/** @type {Kind} */ kind) => Math.round(median(rounds[kind].map((round) => round.cpu)));
report({
  what: 'lookup by binding, hit',
  measured: `${rate('few')}/s (${cpu('few')} µs CPU)`,
  against: `the same route with a constant, ${rate('constant')}/s (${cpu('constant')} µs)`,
  value: ratio('few', 'constant'),
  target: ['at least', 0.6],
});
report({
  what: 'lookup by binding, miss, the chain answering in the same process',
  measured: `${rate('miss')}/s (${cpu('miss')} µs CPU)`,
  against: `the same route with a constant, ${rate('constant')}/s`,
  value: ratio('miss', 'constant'),
});
report({
  what: `lookups that share a round trip to the database, ${CONNECTIONS} at a time`,
  measured: (batching.lookups / batching.queries).toFixed(1),
  value: batching.lookups / batching.queries,
});
report({
  what: `lookup, hit, with ${MANY.toLocaleString('en')} Artifacts`,
  measured: `${rate('many')}/s`,
  against: `with ${FEW.toLocaleString('en')}, ${rate('few')}/s`,
  value: ratio('many', 'few'),
  target: ['at least', 0.8],
});

await Promise.all([few.database.destroy(), many.database.destroy()]);
await registry.close();

/** The address of a server that looks up fingerprints like this. @param {Artifacts['findId']} findId */
function serveWith(findId) {
  const { store } = registry.ports;
  return registry.serve({ store: { ...store, artifacts: { ...store.artifacts, findId } } });
}

/** @param {Kind} kind */
async function measure(kind) {
  const { rate, cpuMs } = await generateLoad(urls[kind], { connections: CONNECTIONS, seconds: SECONDS });
  return { rate, cpu: cpuMs * 1000 };
}

/**
 * The median of the ratios of the rounds.
 * @param {Kind} one
 * @param {Kind} other
 */
function ratio(one, other) {
  return median(rounds[one].map(({ rate }, round) => rate / (rounds[other][round]?.rate ?? 0)));
}

/**
 * @param {string} name
 * @param {number} count
 */
async function open(name, count) {
  return { database: openDatabase(await createFilledDatabase(registry.address, name, count)) };
}
