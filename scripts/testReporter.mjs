// A reporter for what the JSON report of the test runner lacks: errors outside of all tests, and what each file cost.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export default class TestReporter {
  /** @param {string} folder for both files */
  constructor(folder) {
    this.folder = folder;
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(modules, errors) {
    const costs = modules.map((module) => ({
      file: module.relativeModuleId,
      tests: [...module.children.allTests()].length,
      cpuMs: module.meta().cpuMs ?? 0,
      wallMs: measureWallTime(module.diagnostic()),
    }));
    writeFileSync(join(this.folder, 'costs.json'), JSON.stringify(costs));
    writeFileSync(join(this.folder, 'unhandled-errors.json'), JSON.stringify({ count: errors.length }));
  }
}

/** @param {import('vitest/node').ModuleDiagnostic} diagnostic */
function measureWallTime({ setupDuration, collectDuration, duration }) {
  return Math.round(setupDuration + collectDuration + duration);
}
