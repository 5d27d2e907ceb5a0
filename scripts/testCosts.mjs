// What each test file cost when it last ran: CPU time, with that of the processes it started, and wall time. The order of
// the files follows this record, which is not committed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './prepare.mjs';

/** @typedef {{ file: string, tests: number, cpuMs: number, wallMs: number }} FileCost */

const record = join(root, 'test-results/costs.json');
/** Lines of the table. */
const DEAREST = 20;
/** Linux counts CPU time in hundredths of a second for programs. */
const MS_PER_TICK = 10;

/** @returns {FileCost[]} */
export function readCosts() {
  try {
    return JSON.parse(readFileSync(record, 'utf8'));
  } catch {
    return [];
  }
}

/** Files that did not run keep what they cost before, while they exist. @param {readonly FileCost[]} costs */
export function saveCosts(costs) {
  const byFile = new Map([...readCosts(), ...costs].map((cost) => [cost.file, cost]));
  mkdirSync(dirname(record), { recursive: true });
  const existing = [...byFile.values()].filter(({ file }) => existsSync(join(root, file)));
  writeFileSync(record, JSON.stringify(existing, undefined, 1));
}

/** CPU time of all processes that this one has started and waited for, with theirs. */
export function readChildCpuMs() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}

/**
 * A table of the dearest files, and the whole run, which also has the checks, the test runner and PostgreSQL.
 * @param {readonly FileCost[]} costs
 * @param {{ cpuMs: number, wallMs: number }} total
 */
export function formatCosts(costs, total) {
  const dearest = costs.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, DEAREST);
  const whole = {
    file: `the whole run, ${costs.length} files`,
    tests: costs.reduce((sum, { tests }) => sum + tests, 0),
    ...total,
  };
  const rows = [...dearest, whole].map(({ file, tests, cpuMs, wallMs }) =>
    [formatSeconds(cpuMs), formatSeconds(wallMs), String(tests)]
      .map((text) => text.padStart(8))
      .concat(file)
      .join('  '),
  );
  return ['   CPU s    wall s     tests  file', ...rows];
}

/** @param {number} milliseconds */
function formatSeconds(milliseconds) {
  return (milliseconds / 1_000).toFixed(1);
}
