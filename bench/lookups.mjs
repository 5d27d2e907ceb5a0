// The cost of a lookup: against the same route with nothing but one statement by the index, with a million Artifacts and a
// million mirrored entries, and without a match. Counts the calls to the node.

import pg from 'pg';
import { batchLoad } from '../packages/server/dist/database/batching.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { lookupQueries } from '../packages/server/dist/database/queries/lookups/lookups.js';
import { report } from './report.mjs';
import { createFilledDatabase, fillMirror, generateLoad, lookupUrl, measureRounds, openRegistry } from './support.mjs';

/** @typedef {import('../packages/server/dist/domain/ports/index.js').Lookups} Lookups */

const ROUNDS = 7;
const SECONDS = 1.2;
const CONNECTIONS = 32;
const FEW = 10_000;
const MANY = 1_000_000;

const registry = await openRegistry();
const fewAddress = await createFilledDatabase(registry.address, 'few', FEW);
await fillMirror(fewAddress, 1, 0);
const manyAddress = await createFilledDatabase(registry.address, 'many', MANY);
await fillMirror(manyAddress, MANY + 1, 2 * MANY);
const few = openDatabase(fewAddress);
const many = openDatabase(manyAddress);

const artifactId = '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10';
let nodeCalls = 0;
const constant = await serveWith({ findHolder: async () => ({ kind: 'artifact', artifactId }) });
const pool = new pg.Pool(fewAddress);
const least = await serveWith({ findHolder: createLeastLookup() });
const withFew = await serveWith(lookupQueries(few));
const withMany = await serveWith(lookupQueries(many));

/** @param {string} url */
const lookUp = (url) => () => generateLoad(url, { connections: CONNECTIONS, seconds: SECONDS });
const variants = {
  constant: lookUp(lookupUrl(constant, 1, FEW)),
  least: lookUp(lookupUrl(least, 1, FEW)),
  few: lookUp(lookupUrl(withFew, 1, FEW)),
  many: lookUp(lookupUrl(withMany, 1, MANY)),
  mirrored: lookUp(lookupUrl(withMany, MANY + 1, 2 * MANY)),
  miss: lookUp(lookupUrl(withMany, 2 * MANY + 1, 3 * MANY)),
};
for (const warmUp of Object.values(variants)) await warmUp();
const rounds = await measureRounds(ROUNDS, variants);

/** @typedef {keyof typeof variants} Variant */
const rate = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'rate'));
const cpu = (/** @type {Variant} */ name) => Math.round(rounds.median(name, 'cpuMs') * 1000);
const leastLookup = `the least that a lookup can be, ${rate('least')}/s (${cpu('least')} µs)`;
report({
  what: 'the least that a lookup can be: one statement by the index, shared',
  measured: `${rate('least')}/s (${cpu('least')} µs CPU)`,
  against: `the same route with a constant, ${rate('constant')}/s (${cpu('constant')} µs)`,
  value: rounds.ratio('least', 'constant', 'rate'),
});
report({
  what: 'lookup by binding, hit',
  measured: `${rate('few')}/s (${cpu('few')} µs CPU)`,
  against: leastLookup,
  value: rounds.ratio('few', 'least', 'rate'),
  target: ['at least', 0.9],
});
report({
  what: 'lookup, hit, with a million Artifacts and a million mirrored entries',
  measured: `${rate('many')}/s (${cpu('many')} µs CPU)`,
  against: leastLookup,
  value: rounds.ratio('many', 'least', 'rate'),
  target: ['at least', 0.9],
});
report({
  what: 'lookup, miss, with a million of both',
  measured: `${rate('miss')}/s (${cpu('miss')} µs CPU)`,
  against: `a hit, ${rate('many')}/s`,
  value: rounds.ratio('miss', 'many', 'rate'),
  target: ['at least', 0.8],
});
report({
  what: 'lookup of an entry that others wrote on chain',
  measured: `${rate('mirrored')}/s (${cpu('mirrored')} µs CPU)`,
  against: `a hit, ${rate('many')}/s`,
  value: rounds.ratio('mirrored', 'many', 'rate'),
});
report({
  what: 'calls to the node in all of these',
  measured: String(nodeCalls),
  value: nodeCalls,
  target: ['at most', 0],
});

await Promise.all([few.destroy(), many.destroy(), pool.end()]);
await registry.close();

/** Knows neither entries of the chain nor whether Artifacts are shown. @returns {Lookups['findHolder']} */
function createLeastLookup() {
  const statement = {
    name: 'least',
    text: 'select id, fingerprint from artifacts where fingerprint = any($1::bytea[]) and error_reason is null',
  };
  return batchLoad(async (fingerprints) => {
    const digests = fingerprints.map((fingerprint) => Buffer.from(fingerprint.slice(2), 'hex'));
    const { rows } = await pool.query({ ...statement, values: [digests] });
    return new Map(
      rows.map(({ id, fingerprint }) => [`0x${fingerprint.toString('hex')}`, { kind: 'artifact', artifactId: id }]),
    );
  });
}

/** The address of a server that looks up fingerprints like this. @param {Partial<Lookups>} lookups */
function serveWith(lookups) {
  const { store, chain } = registry.ports;
  /** @type {import('../packages/server/dist/domain/ports/index.js').ChainRegistry['resolve']} */
  const resolve = async () => {
    nodeCalls += 1;
    return undefined;
  };
  return registry.serve({
    store: { ...store, lookups: { ...store.lookups, ...lookups } },
    chain: { ...chain, registry: { resolve } },
  });
}
