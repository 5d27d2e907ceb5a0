// Debian's Chromium without its user interface, which would take a quarter of the CPU time. The test files of one process
// share one browser, because its launch takes seconds of CPU time.

import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import './vitestWorker.js';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--liftoff-only --interrupt-budget=3000000',
];

declare global {
  /** Outlives this module, which each test file loads again. */
  var sharedBrowser: Promise<Browser> | undefined;
}

export function getBrowser(): Promise<Browser> {
  globalThis.sharedBrowser ??= launchBrowser();
  return globalThis.sharedBrowser;
}

/** Nothing of a file is left to the next one. */
afterAll(async () => {
  for (const context of (await globalThis.sharedBrowser)?.contexts() ?? []) await context.close();
});

async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: flags,
    timeout: 120_000,
  });
  browser.once('disconnected', () => {
    globalThis.sharedBrowser = undefined;
  });
  globalThis.__vitest_worker__.onCleanup(() => browser.close());
  return browser;
}
