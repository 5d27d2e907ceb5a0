// `npm run fuzz`: the fuzzer for as long as one likes. The tests run the same one for a moment.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root, run } from './prepare.mjs';

const help = `npm run fuzz -- [--runs N] [--seed S]

Feeds hostile requests to every operation of a service of its own, and mutated files to every parser.

  --runs N   requests to each operation, and files for each parser in proportion (200 unless told; the tests use 18)
  --seed S   the same seed feeds the same things again (a new one each time unless told)

Says how many requests each operation got, which statuses it gave, and what memory the service had in use before and after.
A finding is told with its seed and, where it was a request, with a curl command that repeats it.`;

const { values } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}
const runs = numberOf('runs', values.runs, 200);
const seed = numberOf('seed', values.seed, randomInt(2 ** 31));
console.log(`Fuzzing with --seed ${seed} --runs ${runs} …`);
process.env['FUZZ_SEED'] = String(seed);
process.env['FUZZ_RUNS'] = String(runs);
await prepare();
const files = ['fuzz', 'fuzzParsers'].map((name) => `packages/server/test/fuzz/${name}.test.ts`);
await run(undefined, process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files]);

/**
 * @param {string} name
 * @param {string | undefined} text
 * @param {number} otherwise
 */
function numberOf(name, text, otherwise) {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}.`);
  process.exit(2);
}
