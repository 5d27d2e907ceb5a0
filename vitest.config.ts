import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import TestReporter from './scripts/testReporter.mjs';
import { LongestFirstSequencer } from './test/support/longestFirst.js';

/** Tests run the sources of every package, not the build output. */
const sources = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

/** Set by `scripts/test.mjs`, which reads the reports; without it, vitest was started directly. */
const runFolder = process.env['TEST_RUN_FOLDER'];
const isShortTier = process.env['TEST_TIER'] === 'short';

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@provenance-registry\/core\/randomart$/, replacement: sources('core/src/fingerprints/randomart.ts') },
      { find: /^@provenance-registry\/(client|media)\/(node|browser)$/, replacement: sources('$1/src/$2/index.ts') },
      { find: /^@provenance-registry\/media\/sound$/, replacement: sources('media/src/sound/index.ts') },
      {
        find: /^@provenance-registry\/chain-client\/connectionErrors$/,
        replacement: sources('chain-client/src/connectionErrors.ts'),
      },
      { find: /^@provenance-registry\/([\w-]+)$/, replacement: sources('$1/src/index.ts') },
      { find: /^#(c2paWasm|embeddedReader|hashing)$/, replacement: sources('client/src/node/$1.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Long proofs run with `npm run test:all`, and when vitest is started directly.
    exclude: ['**/node_modules/**', ...(isShortTier ? ['**/*.long.test.ts'] : [])],
    globalSetup: ['test/support/globalSetup.ts'],
    // Built programs are loaded as they are, once for all files of a worker.
    server: { deps: { external: [/\/bundle\//] } },
    // Loading the libraries again for each file took a tenth of the run; see the setup for what is not shared.
    isolate: false,
    setupFiles: ['test/support/setup.ts'],
    reporters: ['default', ...(runFolder === undefined ? [] : ['json', new TestReporter(runFolder)])],
    // Tests wait for real processes, on a machine that may be ten times slower for a while.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tests run much code a few times: collecting garbage and optimizing code less often saves a quarter of the CPU time.
    execArgv: ['--max-semi-space-size=64', '--interrupt-budget=3000000'],
    // More workers than cores: many tests wait for processes, blocks and timers.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirstSequencer },
    // Pages may take a while to show a result on a busy machine.
    expect: { poll: { timeout: 240_000 } },
  },
});
