// Evaluates the JSON reports of the test runner: which files failed, and what a second run of them says.

import { relative } from 'node:path';

/** The exit code of `npm test` if a check fails. */
export const FAILED_CHECK_STATUS = 2;
/** One may be bad luck on a busy machine; more than this hide a bug. */
const MAX_FLAKY_FILES = 2;

/**
 * @typedef {object} FileResult
 * @property {string} name absolute path
 * @property {string} status
 * @property {{ status: string }[]} assertionResults
 */
/** @typedef {{ testResults: FileResult[] }} Report */
/** @typedef {{ passed: number, failed: number, flakyFiles: string[], failedFiles: string[] }} Summary */

/**
 * Paths relative to the root. A file that could not be loaded has failed as well, without a failed test.
 * @param {Report} report
 * @param {string} root
 */
export function listFailedFiles({ testResults }, root) {
  return testResults.filter(hasFailedTest).map(({ name }) => relative(root, name));
}

/**
 * Counts the files that failed at first by their second run. A file that is missing there has failed again.
 * @param {Report} first
 * @param {Report | undefined} rerun
 * @param {string} root
 * @returns {Summary}
 */
export function summarize(first, rerun, root) {
  const rerunByName = new Map(rerun?.testResults.map((file) => [file.name, file]));
  /** @type {Summary} */
  const summary = { passed: 0, failed: 0, flakyFiles: [], failedFiles: [] };
  for (const file of first.testResults) {
    const last = hasFailedTest(file) ? (rerunByName.get(file.name) ?? file) : file;
    summary.passed += countTests(last, 'passed');
    summary.failed += countTests(last, 'failed');
    if (hasFailedTest(last)) summary.failedFiles.push(relative(root, file.name));
    else if (last !== file) summary.flakyFiles.push(relative(root, file.name));
  }
  return summary;
}

/** The count is the last line. @param {Summary} summary */
export function formatSummary({ passed, failed, flakyFiles, failedFiles }) {
  return [
    ...failedFiles.map((file) => `failed: ${file}`),
    ...flakyFiles.map((file) => `flaky: ${file}`),
    `tests: ${passed} passed, ${failed} failed`,
  ];
}

/** @param {Summary} summary */
export function isTooFlaky({ flakyFiles }) {
  return flakyFiles.length > MAX_FLAKY_FILES;
}

/** @param {Summary} summary */
export function hasFailed(summary) {
  return summary.failedFiles.length > 0 || isTooFlaky(summary);
}

/** @param {FileResult} file */
function hasFailedTest({ status, assertionResults }) {
  return status === 'failed' || assertionResults.some((test) => test.status === 'failed');
}

/** @param {FileResult} file @param {string} status */
function countTests({ assertionResults }, status) {
  return assertionResults.filter((test) => test.status === status).length;
}
