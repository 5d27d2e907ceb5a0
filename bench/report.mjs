// What was measured: told to whoever looks on, and kept for the table when all benchmarks run.

import { appendFileSync } from 'node:fs';

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} measured
 * @property {string} [against] what it is compared with, measured in the same run
 * @property {number} value the ratio of the two, or what was measured when there is nothing to compare it with
 * @property {readonly ['at least' | 'at most', number]} [target]
 */

/** @param {Row} row */
export function report(row) {
  const { what, measured, against, value, target } = row;
  const compared = against === undefined ? '' : `, ${against}: ratio ${shown(value)}`;
  const wanted = target ? ` (target: ${target.join(' ')}${isMet(row) ? '' : ', MISSED'})` : '';
  console.log(`${what}: ${measured}${compared}${wanted}`);
  const file = process.env['BENCH_ROWS'];
  if (file) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** @param {Row} row */
export function isMet({ value, target }) {
  if (!target) return true;
  // As it is shown: what reads 0.70 is not called below 0.7.
  const rounded = Number(shown(value));
  return target[0] === 'at least' ? rounded >= target[1] : rounded <= target[1];
}

/** @param {number} value */
export function shown(value) {
  return value < 10 ? value.toFixed(value < 0.1 ? 3 : 2) : value.toFixed(0);
}
