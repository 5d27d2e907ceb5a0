import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests run the sources of every package of this repository, never what was built from them. */
const sources = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@provenance-registry\/core\/randomart$/, replacement: sources('core/src/randomart.ts') },
      { find: /^@provenance-registry\/client\/(node|browser)$/, replacement: sources('client/src/$1/index.ts') },
      { find: /^@provenance-registry\/([\w-]+)$/, replacement: sources('$1/src/index.ts') },
      { find: '#c2paWasm', replacement: sources('client/src/node/c2paWasm.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/results.json' },
    // Each test that starts a service waits for real processes, on a machine that may be ten times slower for a while.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
    // What a page shows in the end may take a while on a machine that does other things as well.
    expect: { poll: { timeout: 60_000 } },
  },
});
