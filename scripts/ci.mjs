// `.ci/run`: runs `npm test`, then the failed test files once more without others beside them. Succeeds if every test
// passes in one of the two runs; names files that pass only the second time as flaky, and ends with the test counts.
// Arguments go to the test runner.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { FAILED_CHECK_STATUS, formatSummary, listFailedFiles, summarize } from './testResults.mjs';

const folder = join(root, 'test-results');
rmSync(folder, { recursive: true, force: true });

const status = runCommand('npm', ['test', '--', ...process.argv.slice(2)]);
const first = readJson('results.json') ?? { testResults: [] };
const failed = listFailedFiles(first, root);
let isExplained = status === 0;
let rerun;
// A failed check, a crash or an error outside of all tests is not repaired by running test files again.
if (failed.length > 0 && status !== FAILED_CHECK_STATUS && countUnhandledErrors() === 0) {
  console.log(`\nRunning again, alone: ${failed.join(' ')}`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--maxWorkers=1', `--outputFile.json=${join(folder, 'rerun.json')}`];
  runCommand(process.execPath, [vitest, 'run', ...options, ...failed]);
  rerun = readJson('rerun.json');
  isExplained = countUnhandledErrors() === 0;
}
const summary = summarize(first, rerun, root);
for (const line of formatSummary(summary)) console.log(line);
process.exitCode = isExplained && summary.failedFiles.length === 0 ? 0 : status || 1;

/** @param {string} command @param {string[]} args */
function runCommand(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

/** Of the last run, as `unhandledErrorReporter.mjs` has written it. Without that file, the runner has crashed. */
function countUnhandledErrors() {
  const report = readJson('unhandled-errors.json');
  rmSync(join(folder, 'unhandled-errors.json'), { force: true });
  return report?.count ?? 1;
}

/** @param {string} name */
function readJson(name) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}
