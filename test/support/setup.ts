// Runs before each test file. Several files run in one process, one after the other, so that libraries are loaded once.

import { createRequire } from 'node:module';
import { vi } from 'vitest';

// Support modules hold state and register hooks when they are loaded, so each file loads them again.
vi.resetModules();
vi.restoreAllMocks();
vi.useRealTimers();

// EDR allows one context in a process, but the modules that create it are loaded by each file.
const edr: { EdrContext: new () => object; isShared?: true } = createRequire(import.meta.url)('@nomicfoundation/edr');
if (!edr.isShared) {
  const context = new edr.EdrContext();
  edr.isShared = true;
  edr.EdrContext = class {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: every caller gets the same context
      return context;
    }
  };
}
