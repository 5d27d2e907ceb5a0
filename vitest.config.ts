import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirstSequencer } from './test/support/longestFirst.js';

/** Tests run the sources of every package, not the build output. */
const sources = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@provenance-registry\/core\/randomart$/, replacement: sources('core/src/randomart.ts') },
      { find: /^@provenance-registry\/(client|media)\/(node|browser)$/, replacement: sources('$1/src/$2/index.ts') },
      { find: /^@provenance-registry\/media\/sound$/, replacement: sources('media/src/sound/index.ts') },
      {
        find: /^@provenance-registry\/chain-client\/connectionErrors$/,
        replacement: sources('chain-client/src/connectionErrors.ts'),
      },
      { find: /^@provenance-registry\/([\w-]+)$/, replacement: sources('$1/src/index.ts') },
      { find: /^#(c2paWasm|embeddedReader)$/, replacement: sources('client/src/node/$1.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/globalSetup.ts'],
    // Loading the libraries again for each file took a tenth of the run; see the setup for what is not shared.
    isolate: false,
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', 'json', './scripts/unhandledErrorReporter.mjs'],
    outputFile: { json: 'test-results/results.json' },
    // Tests wait for real processes, on a machine that may be ten times slower for a while.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // More workers than cores: many tests wait for processes, blocks and timers.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirstSequencer },
    // Pages may take a while to show a result on a busy machine.
    expect: { poll: { timeout: 60_000 } },
  },
});
