// Runs before each test file. Several files run in one process, one after the other, so that libraries are loaded once.

import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { loadEdr } from '../../packages/dev-chain/src/edr.js';
import { readCpuTimeMs } from './cpuTime.js';
import { seed } from './random.js';
import './vitestWorker.js';

declare global {
  /** Outlives this module, which each test file loads again. */
  var platformFetch: typeof fetch | undefined;
}

declare module 'vitest' {
  interface TaskMeta {
    /** CPU time of the file and the processes that it started; see `scripts/testReporter.mjs`. */
    cpuMs?: number;
  }
}

// The first hook runs last, after those of the file have stopped its processes.
const cpuMsBefore = readCpuTimeMs(process.pid);
// biome-ignore lint/correctness/noEmptyPattern: vitest asks for a pattern
afterAll(({}, file) => {
  // A browser that has ended takes with it what it used in earlier files.
  file.meta.cpuMs = Math.max(0, readCpuTimeMs(process.pid) - cpuMsBefore);
});

// Test modules hold state and register hooks when they are loaded, so each file loads them again. Sources stay loaded, which
// `vi.resetModules` would load again too.
for (const [id, module] of globalThis.__vitest_worker__.evaluatedModules.idToModuleMap) {
  if (!/\/test\//.test(id)) continue;
  Object.assign(module, { promise: undefined, exports: undefined, evaluated: false });
  module.importers.clear();
}
vi.restoreAllMocks();
vi.useRealTimers();
// The command, when it runs in this process, replaces it by one that has what the SDK needs of a response.
globalThis.platformFetch ??= globalThis.fetch;
globalThis.fetch = globalThis.platformFetch;

// Property tests try the same values in each run with the same seed.
fc.configureGlobal({ seed });

// EDR allows one context in a process, but the modules that create it are loaded by each file, by its loader or without.
interface Edr {
  EdrContext: new () => object;
  isShared?: true;
}
const loader: Edr = createRequire(import.meta.url)('@nomicfoundation/edr');
if (!loader.isShared) {
  const context = new loader.EdrContext();
  class SharedContext {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: every caller gets the same context
      return context;
    }
  }
  Object.assign(loader, { EdrContext: SharedContext, isShared: true });
  Object.assign(loadEdr(), { EdrContext: SharedContext });
}
