// The cost of a lookup: against the same route with a constant result, and with a million Artifacts against ten thousand.

import { batchLoad } from '../packages/server/dist/database/batching.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { findArtifactIds } from '../packages/server/dist/database/queries/artifacts.js';
import { report } from './report.mjs';
import { createFilledDatabase, generateLoad, lookupUrl, measureRounds, openRegistry } from './support.mjs';

/** @typedef {import('@provenance-registry/core').Fingerprint} Fingerprint */
/** @typedef {import('../packages/server/dist/domain/ports/index.js').Artifacts} Artifacts */

const ROUNDS = 7;
const SECONDS = 1.2;
const CONNECTIONS = 32;
const FEW = 10_000;
const MANY = 1_000_000;

const registry = await openRegistry();
const few = openDatabase(await createFilledDatabase(registry.address, 'few', FEW));
const many = openDatabase(await createFilledDatabase(registry.address, 'many', MANY));

/** Lookups, and the queries that they shared. */
const batching = { lookups: 0, queries: 0 };
const findInFew = batchLoad((/** @type {readonly Fingerprint[]} */ fingerprints) => {
  batching.queries += 1;
  return findArtifactIds(few, fingerprints);
});
const constant = await serveWith(async () => '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10');
const withFew = await serveWith((fingerprint) => {
  batching.lookups += 1;
  return findInFew(fingerprint);
});
const withMany = await serveWith(batchLoad((fingerprints) => findArtifactIds(many, fingerprints)));

/** @param {string} url */
const lookUp = (url) => () => generateLoad(url, { connections: CONNECTIONS, seconds: SECONDS });
const variants = {
  constant: lookUp(lookupUrl(constant, 1, FEW)),
  few: lookUp(lookupUrl(withFew, 1, FEW)),
  many: lookUp(lookupUrl(withMany, 1, MANY)),
  miss: lookUp(lookupUrl(withFew, MANY + 1, 2 * MANY)),
};
for (const warmUp of Object.values(variants)) await warmUp();
batching.lookups = batching.queries = 0;
const rounds = await measureRounds(ROUNDS, variants);

/** @typedef {keyof typeof variants} Variant */
const rate = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'rate'));
const cpu = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'cpuMs') * 1000);
report({
  what: 'lookup by binding, hit',
  measured: `${rate('few')}/s (${cpu('few')} µs CPU)`,
  against: `the same route with a constant, ${rate('constant')}/s (${cpu('constant')} µs)`,
  value: rounds.ratio('few', 'constant', 'rate'),
  target: ['at least', 0.6],
});
report({
  what: 'lookup by binding, miss, the chain answering in the same process',
  measured: `${rate('miss')}/s (${cpu('miss')} µs CPU)`,
  against: `the same route with a constant, ${rate('constant')}/s`,
  value: rounds.ratio('miss', 'constant', 'rate'),
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
  value: rounds.ratio('many', 'few', 'rate'),
  target: ['at least', 0.8],
});

await Promise.all([few.destroy(), many.destroy()]);
await registry.close();

/** The address of a server that looks up fingerprints like this. @param {Artifacts['findId']} findId */
function serveWith(findId) {
  const { store } = registry.ports;
  return registry.serve({ store: { ...store, artifacts: { ...store.artifacts, findId } } });
}
