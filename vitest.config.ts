import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/globalSetup.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/results.json' },
    // Tests start real processes, up to six at once, on machines that may do other things as well: ten times what the
    // slowest of them usually takes. Only a test that hangs ever waits so long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    // What a page shows in the end may take a while on a machine that does other things as well.
    expect: { poll: { timeout: 60_000 } },
  },
});
