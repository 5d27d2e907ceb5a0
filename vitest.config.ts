import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take minutes begin first: otherwise one of them would run alone at the end. */
const longest = ['torture', 'embedded', 'dashboardRegister', 'submitterFaults', 'chainSetup', 'verify'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    return (await super.sort(files)).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/globalSetup.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/results.json' },
    // Each test that starts a service waits for real processes.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // What a page shows in the end may take a while on a machine that does other things as well.
    expect: { poll: { timeout: 20_000 } },
  },
});
