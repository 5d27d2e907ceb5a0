import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/globalSetup.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/results.json' },
    // Each test that starts a service waits for real processes, on a machine that may be ten times slower for a while.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    // What a page shows in the end may take a while on a machine that does other things as well.
    expect: { poll: { timeout: 60_000 } },
  },
});
