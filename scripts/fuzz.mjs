// `npm run fuzz`: runs the fuzz tests for longer than `npm run test:all` does.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, run } from './prepare.mjs';

const help = `npm run fuzz -- [--runs N] [--bundles N] [--seed S]

Sends hostile requests to every operation of a new service, mutated files to every parser, and mutated bundles to their
verification.

  --runs N      requests per operation, and files per parser in proportion (default: 200; the tests use 18)
  --bundles N   mutated bundles (default: 20,000; the tests use 1,000); without --runs, nothing else
  --seed S      repeats the run with that seed (default: a new seed)

Prints the number of requests and the response statuses of each operation, the memory that the service used before and after,
and the verdicts about bundles. Reports a finding with its seed and, for a request, with a curl command that repeats it.`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    bundles: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const runs = parseNumber('runs', values.runs, 200);
const bundles = parseNumber('bundles', values.bundles, 20_000);
const seed = parseNumber('seed', values.seed, randomInt(2 ** 31));
const isBundlesOnly = values.bundles !== undefined && values.runs === undefined;
console.log(`Fuzzing with --seed ${seed}${isBundlesOnly ? '' : ` --runs ${runs}`} --bundles ${bundles} …`);
process.env['FUZZ_SEED'] = String(seed);
process.env['FUZZ_RUNS'] = String(runs);
process.env['FUZZ_BUNDLES'] = String(bundles);
await prepare({ withTestTools: true });
const serverTests = ['fuzz', 'fuzzParsers'].map((name) => `packages/server/test/fuzz/${name}.long.test.ts`);
if (!isBundlesOnly) await runTests(...serverTests);
await runTests('packages/client/test/bundles.test.ts', '--testNamePattern', 'Mutated');

/** @param {string[]} options */
function runTests(...options) {
  return run(undefined, process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...options]);
}

/** @param {string} name @param {string | undefined} text @param {number} defaultValue */
function parseNumber(name, text, defaultValue) {
  if (text === undefined) return defaultValue;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  console.error(`--${name} must be a positive whole number, not ${text}.`);
  process.exit(2);
}
