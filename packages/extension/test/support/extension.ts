// Debian's Chromium with the built extension. The headless shell of the other tests loads no extensions, so this is the
// browser itself, in its headless mode.

import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page, type Worker } from 'playwright-core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, expect } from 'vitest';
import { temporaryFolder } from '../../../../test/support/service.js';

const built = fileURLToPath(new URL('../../dist/unpacked', import.meta.url));
/** As if the user had allowed it: Chromium asks in a window of its own, which tests cannot reach. */
export const GRANTED_HOST = 'granted.example';

/** Shorter than the test timeout, so that the error names what the test waited for. */
const PAGE_TIMEOUT_MS = 100_000;

const messages: string[] = [];
afterEach(() => {
  expect(messages.splice(0), 'errors and warnings on the console').toEqual([]);
});

export interface Extension {
  readonly context: BrowserContext;
  readonly id: string;
  readonly worker: Worker;
  /** The page that opens when the extension is installed. */
  readonly options: Page;
  /**
   * Chooses an item of the context menu, and returns the panel that opens. Menus are windows of the system: the event is
   * dispatched in the service worker, with what Chromium puts into it. So the permission `activeTab` is not granted.
   */
  choose(item: 'image' | 'audio' | 'link', url: string, pageUrl: string): Promise<Page>;
}

/** All hosts below `example` are this machine. */
export async function startExtension(): Promise<Extension> {
  const folder = await temporaryFolder();
  await cp(built, folder, { recursive: true });
  const path = join(folder, 'manifest.json');
  const manifest = Value.Parse(Type.Record(Type.String(), Type.Unknown()), JSON.parse(await readFile(path, 'utf8')));
  await writeFile(path, JSON.stringify({ ...manifest, host_permissions: [`http://${GRANTED_HOST}/*`] }));
  const context = await chromium.launchPersistentContext('', {
    executablePath: '/usr/bin/chromium',
    headless: false,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-quic'],
      ...[`--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
      '--host-resolver-rules=MAP *.example 127.0.0.1',
    ],
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    timeout: 120_000,
  });
  afterAll(() => context.close());
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  context.on('page', watchConsole);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  // In the empty tab that Chromium starts with, or in a new one.
  const waitForOptions = (page: Page) => page.waitForURL('**/options.html').then(() => page);
  const created = context.waitForEvent('page').then(waitForOptions);
  const options = await Promise.any([created, ...context.pages().map(waitForOptions)]);
  watchConsole(options);
  return {
    context,
    worker,
    options,
    id: new URL(worker.url()).host,
    async choose(item, url, pageUrl) {
      const opened = context.waitForEvent('page');
      const info = { menuItemId: item, [item === 'link' ? 'linkUrl' : 'srcUrl']: url, pageUrl };
      await worker.evaluate(`chrome.contextMenus.onClicked.dispatch(${JSON.stringify(info)}, {})`);
      const page = await opened;
      await page.getByRole('heading', { name: 'File check' }).waitFor();
      return page;
    },
  };
}

/** A failed fetch is told to the user, and to the console by Chromium itself. */
const EXPECTED = /blocked by CORS policy|Failed to load resource|Failed to fetch/;

function watchConsole(page: Page): void {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(message.text())) messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
}

/** State and text of the answer to one of the questions. */
export async function readAnswer(panel: Page, question: string): Promise<{ state: string; text: string }> {
  const answer = panel.locator('dl > div[data-tone]').filter({ has: panel.getByText(question, { exact: true }) });
  const state = answer.locator('dt [data-tone]');
  await expect.poll(() => state.textContent()).not.toBe('Checking …');
  return { state: (await state.textContent()) ?? '', text: (await answer.locator('> dd').textContent()) ?? '' };
}

export async function readFacts(panel: Page): Promise<string> {
  const section = panel.locator('section').filter({ has: panel.getByRole('heading', { name: 'The file' }) });
  return (await section.textContent()) ?? '';
}
