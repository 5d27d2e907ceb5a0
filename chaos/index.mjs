// `npm run chaos`: runs the service with real clients, injects faults into everything it depends on, and then checks that
// nothing was lost. docs/internals/testing.md explains the output.

import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { runLayout } from './run.mjs';
import { startSingleProcess } from './singleProcess.mjs';
import { startStack } from './stack.mjs';
import { refuseStarts } from './supervisor.mjs';

const help = `npm run chaos -- [options]

  --minutes N   how long faults happen, for all layouts together (default: 10); 0: until each kind of process was killed
                as often as --kills says, however long that takes
  --layout L    one (one process with everything embedded), stack (two api and two worker processes, a database with a
                synchronous standby, a bucket that checks signatures, a chain node) or both (default)
  --clients N   clients running at once (default: 12)
  --kills N     minimum for each kind of process (default: 20)
  --seed S      decides the order of the faults (default: random, printed)
  --json        the result as JSON on standard output, instead of the table

Ctrl-C ends the faults, and the checks follow; a second one stops everything and ends the run.

Exit codes: 0 no violations and a clean audit; 1 violations, which are listed; 2 wrong usage; 130 canceled.`;

const layouts = { one: startSingleProcess, stack: startStack };
const MAX_LISTED_VIOLATIONS = 20;
/** As a shell reports a program that SIGINT ended. */
const CANCELED_EXIT_CODE = 130;
const violationKinds = /** @type {const} */ (['lost', 'duplicated', 'stuck', 'unexpected']);

/** @param {string} text */
const say = (text) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

const options = readOptions();
say(`seed ${options.seed}`);
const abort = new AbortController();
// Every pending wait listens to it.
setMaxListeners(0, abort.signal);
/** @type {Promise<never>} */
const canceled = new Promise((_, reject) => {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.on(signal, () => {
      if (abort.signal.aborted) {
        refuseStarts();
        reject(new Error('canceled'));
      }
      abort.abort();
    });
  }
});
canceled.catch(() => say('stopping everything'));

try {
  const summaries = (await runAll()).map(summarize);
  if (options.json) console.log(JSON.stringify(summaries));
  else for (const summary of summaries) print(summary);
  process.exitCode = summaries.every(({ isClean }) => isClean) ? 0 : 1;
} catch (error) {
  const isCanceled = error instanceof Error && error.message === 'canceled';
  if (!isCanceled) console.error(error);
  // Whatever the canceled run still waits for.
  process.exit(isCanceled ? CANCELED_EXIT_CODE : 1);
}

async function runAll() {
  /** @type {import('./run.mjs').Result[]} */
  const results = [];
  for (const name of options.names) {
    results.push(
      await runLayout({
        name,
        layout: layouts[name],
        ms: (options.minutes * 60_000) / options.names.length,
        clients: options.clients,
        kills: options.kills,
        seed: options.seed,
        signal: abort.signal,
        canceled,
        say: (text) => say(`${name}: ${text}`),
      }),
    );
  }
  return results;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '10' },
        layout: { type: 'string', default: 'both' },
        clients: { type: 'string', default: '12' },
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
    /** @type {('one' | 'stack')[]} */
    const names = layout === 'both' ? ['one', 'stack'] : layout === 'one' || layout === 'stack' ? [layout] : [];
    const [minutes, clients, kills] = [values.minutes, values.clients, values.kills].map(Number);
    if (names.length === 0 || minutes === undefined || !(minutes >= 0) || !isCount(clients) || !isCount(kills))
      throw new TypeError(help);
    return { names, minutes, clients, kills, seed, json };
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
function summarize({ name, injected, counts, violations, unexpectedExits, auditOutput }) {
  const numbers = Object.fromEntries(
    violationKinds.map((kind) => [kind, violations.filter((violation) => violation.kind === kind).length]),
  );
  return {
    layout: name,
    faults: Object.fromEntries(injected),
    ...counts,
    ...numbers,
    audit: auditOutput ?? 'clean',
    isClean: violations.length === 0 && auditOutput === undefined,
    violations: violations.slice(0, MAX_LISTED_VIOLATIONS).map(({ kind, message }) => `${kind}: ${message}`),
    /** Not a violation: a process may exit when its database stays unavailable, and is restarted. */
    unexpectedExits,
  };
}

/** @param {ReturnType<typeof summarize>} summary */
function print({ layout, faults, isClean, violations, unexpectedExits, ...numbers }) {
  console.log(`\nLayout ${layout}: ${isClean ? 'clean' : 'NOT CLEAN'}`);
  const width = Math.max(...[...Object.keys(faults), ...Object.keys(numbers)].map((name) => name.length));
  for (const [name, value] of [...Object.entries(faults), ...Object.entries(numbers)]) {
    console.log(`  ${name.padEnd(width)}  ${value}`);
  }
  for (const line of violations) console.log(`  ${line}`);
  for (const line of new Set(unexpectedExits))
    console.log(`  ${line} (${unexpectedExits.filter((one) => one === line).length}×)`);
}
