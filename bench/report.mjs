// Prints a measurement, and saves it for the table when all benchmarks run.

import { appendFileSync } from 'node:fs';

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} measured
 * @property {string} [against] the other side of the comparison, measured in the same run
 * @property {number} value the ratio of the two, or the measurement itself without a comparison
 * @property {readonly ['at least' | 'at most', number]} [target]
 */

/** @param {Row} row */
export function report(row) {
  const { what, measured, against, value, target } = row;
  const comparison = against === undefined ? '' : `, ${against}: ratio ${formatValue(value)}`;
  const targetText = target ? ` (target: ${target.join(' ')}${isMet(row) ? '' : ', MISSED'})` : '';
  console.log(`${what}: ${measured}${comparison}${targetText}`);
  const file = process.env['BENCH_ROWS'];
  if (file) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

/** @param {Row} row */
export function isMet({ value, target }) {
  if (!target) return true;
  // Rounded as displayed: 0.70 meets a target of 0.7.
  const rounded = Number(formatValue(value));
  return target[0] === 'at least' ? rounded >= target[1] : rounded <= target[1];
}

/** @param {number} value */
export function formatValue(value) {
  return value < 10 ? value.toFixed(value < 0.1 ? 3 : 2) : value.toFixed(0);
}
