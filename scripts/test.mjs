// `npm test` and, with `--all`, `npm run test:all`: builds everything, runs the checks and the tests, and ends with the test
// counts. A test file that fails is run once more, alone; one that then passes is flaky. Exits with 2 if a check fails, and
// with 1 if a test does. See CONTRIBUTING.md for the options.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root, say } from './prepare.mjs';
import { endRunProcesses, findRunProcesses, removeRunFolder } from './runProcesses.mjs';
import { formatCosts, readChildCpuMs, saveCosts } from './testCosts.mjs';
import { parseOptions } from './testOptions.mjs';
import { describeLeftOut, installOtherVersions, installPrograms, installPythonPackages } from './testPrograms.mjs';
import {
  FAILED_CHECK_STATUS,
  formatSummary,
  hasFailed,
  isTooFlaky,
  listFailedFiles,
  summarize,
} from './testResults.mjs';

const options = parseOptions(process.argv.slice(2));
let isStopping = false;
/** Every process of this run has it in its environment, its arguments or as its working folder. */
const folder = mkdtempSync(join(tmpdir(), 'provenance-tests-'));
// PostgreSQL's own user must reach it.
chmodSync(folder, 0o755);
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, () => stop(signal));
process.on('exit', () => removeRunFolder(folder));
Object.assign(process.env, {
  TMPDIR: folder,
  TEST_RUN_FOLDER: folder,
  TEST_SEED: String(options.seed),
  TEST_TIER: options.isAll ? 'all' : 'short',
});

await prepare({ withTestTools: true });
const leftOut = [...(await installPrograms()), ...(await installPythonPackages())];
await installOtherVersions();
for (const part of leftOut) say(describeLeftOut(part));
if (leftOut.length > 0 && options.isComplete) {
  say('This run must not leave anything out.');
  process.exit(1);
}

say(`seed: ${options.seed}`);
const startedAt = Date.now();
const setUpCpuMs = readChildCpuMs();
const check = options.filters.length === 0 ? startCheck() : undefined;
const excluded = leftOut.flatMap(({ files }) => files.map((file) => `--exclude=${file}`));
const status = await runVitest('results', [...excluded, ...options.filters]);
const first = readReport('results') ?? { testResults: [] };
const costs = readReport('costs') ?? [];
saveCosts(costs);
const failed = listFailedFiles(first, root);
let isExplained = status === 0 || failed.length > 0;
let rerun;
// An error outside of all tests is not repaired by running test files again.
if (failed.length > 0 && readReport('unhandled-errors')?.count === 0) {
  say(`\nRunning again, alone: ${failed.join(' ')}`);
  rmSync(join(folder, 'unhandled-errors.json'));
  await runVitest('rerun', ['--maxWorkers=1', ...failed]);
  rerun = readReport('rerun');
  isExplained = readReport('unhandled-errors')?.count === 0;
}
const hasFailedCheck = await check?.hasFailed();
const remaining = findRunProcesses(folder);
for (const { pid, command } of remaining) say(`left behind: ${pid} ${command}`);
await endRunProcesses(folder);
if (options.showsCosts) {
  const total = { cpuMs: readChildCpuMs() - setUpCpuMs, wallMs: Date.now() - startedAt };
  for (const line of formatCosts(costs, total)) console.log(line);
}
const summary = summarize(first, rerun, root);
if (isTooFlaky(summary)) say('Too many files are flaky.');
for (const line of formatSummary(summary)) console.log(line);
if (hasFailedCheck) process.exitCode = FAILED_CHECK_STATUS;
else process.exitCode = isExplained && !hasFailed(summary) ? 0 : 1;

/** Runs the checks beside the first tests, which wait much. Their output is printed if they fail. */
function startCheck() {
  const child = spawn('npm', ['run', '--silent', 'check'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) say(output);
    return code === 0;
  });
  return {
    /** Repeats at the end of all output that the checks have failed. */
    async hasFailed() {
      const isPassed = await ended;
      if (!isPassed) say('The checks failed: npm run check');
      return !isPassed;
    },
  };
}

/** @param {string} report @param {string[]} args @returns {Promise<number>} */
async function runVitest(report, args) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const output = `--outputFile.json=${join(folder, `${report}.json`)}`;
  const child = spawn(process.execPath, [vitest, 'run', output, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  // The process ends when everything else has been stopped too.
  if (isStopping) await new Promise(() => {});
  return code ?? 1;
}

/** @param {'SIGTERM' | 'SIGINT' | 'SIGHUP'} signal */
async function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  say(`Stopping the test run (${signal}) …`);
  await endRunProcesses(folder);
  process.exit(128 + constants.signals[signal]);
}

/** Undefined if the test runner has crashed. @param {string} name */
function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}
