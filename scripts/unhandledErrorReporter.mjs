// A reporter that counts errors outside of all tests, which the JSON report of the test runner lacks.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

export default class UnhandledErrorReporter {
  /** @param {unknown} _modules @param {readonly unknown[]} errors */
  onTestRunEnd(_modules, errors) {
    mkdirSync(join(root, 'test-results'), { recursive: true });
    writeFileSync(join(root, 'test-results/unhandled-errors.json'), JSON.stringify({ count: errors.length }));
  }
}
