// `npm run torture`: the service under real clients, while everything that it stands on is killed, cut off, slowed, filled
// and turned back; then the reckoning. docs/torture.md says how to read what it prints.

import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { oneProcess, twoProcesses } from './layouts.mjs';
import { torture } from './run.mjs';

const help = `npm run torture -- [options]

  --minutes N   how long faults happen, for all layouts together (default: 10)
  --layout L    one (one process with everything in it), two (two processes that answer and two that work, on one
                database, bucket and chain) or both (default)
  --people N    who work at once (default: 12)
  --kills N     of each kind of process, at least (default: 20)
  --seed S      decides which faults come in which order (default: made up, and printed)
  --json        the result as JSON on standard output, instead of the table

Exit code 0: nothing was lost, doubled or stuck, nothing strange was answered, and the audit found nothing; 1: something
was, and is told; 2: wrong use.`;

const layouts = { one: oneProcess, two: twoProcesses };
const TOLD = 20;
const troubles = /** @type {const} */ (['lost', 'doubled', 'stuck', 'strange']);

/** @param {string} text */
const say = (text) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const options = readOptions();
say(`seed ${options.seed}`);
const ending = new AbortController();
// Everything that waits listens to it.
setMaxListeners(0, ending.signal);
// The faults end, and the reckoning comes; a second signal ends it at once.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => ending.abort());
/** @type {import('./run.mjs').Result[]} */
const results = [];
for (const name of options.names) {
  results.push(
    await torture({
      name,
      layout: layouts[name],
      ms: (options.minutes * 60_000) / options.names.length,
      people: options.people,
      kills: options.kills,
      seed: options.seed,
      signal: ending.signal,
      say: (text) => say(`${name}: ${text}`),
    }),
  );
}
const summaries = results.map(summaryOf);
if (options.json) console.log(JSON.stringify(summaries));
else for (const summary of summaries) print(summary);
process.exitCode = summaries.every(({ isClean }) => isClean) ? 0 : 1;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        layout: { type: 'string', default: 'both' },
        people: { type: 'string', default: '12' },
        kills: { type: 'string', default: '20' },
        seed: { type: 'string', default: String(Date.now()) },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    const { layout, seed, json } = values;
    /** @type {('one' | 'two')[]} */
    const names = layout === 'both' ? ['one', 'two'] : layout === 'one' || layout === 'two' ? [layout] : [];
    const [minutes, people, kills] = [values.minutes, values.people, values.kills].map(Number);
    if (names.length === 0 || !minutes || !(minutes > 0) || !isCount(people) || !isCount(kills))
      throw new TypeError(help);
    return { names, minutes, people, kills, seed, json };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

/** @param {number | undefined} value @returns {value is number} */
function isCount(value) {
  return Number.isInteger(value) && Number(value) > 0;
}

/** @param {import('./run.mjs').Result} result */
function summaryOf({ name, struck, counts, troubles: found, endings, audited }) {
  const numbers = Object.fromEntries(
    troubles.map((kind) => [kind, found.filter(({ trouble }) => trouble === kind).length]),
  );
  return {
    layout: name,
    faults: Object.fromEntries(struck),
    ...counts,
    ...numbers,
    audit: audited ?? 'clean',
    isClean: found.length === 0 && audited === undefined,
    troubles: found.slice(0, TOLD).map(({ trouble, what }) => `${trouble}: ${what}`),
    /** Not wrong in itself: a process may give up when its database stays away, and is started again. */
    endings,
  };
}

/** @param {ReturnType<typeof summaryOf>} summary */
function print({ layout, faults, isClean, troubles: told, endings, ...numbers }) {
  console.log(`\nLayout ${layout}: ${isClean ? 'clean' : 'NOT CLEAN'}`);
  const width = Math.max(...[...Object.keys(faults), ...Object.keys(numbers)].map((name) => name.length));
  for (const [name, value] of [...Object.entries(faults), ...Object.entries(numbers)]) {
    console.log(`  ${name.padEnd(width)}  ${value}`);
  }
  for (const line of told) console.log(`  ${line}`);
  for (const line of new Set(endings)) console.log(`  ${line} (${endings.filter((one) => one === line).length}×)`);
}
