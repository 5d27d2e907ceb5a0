// Pages in a real browser. Any error or warning on the console of a page fails its test.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { getBrowser } from '../../../../test/support/browser.js';

/** Shorter than the test timeout, so that the error names what the test waited for. */
const PAGE_TIMEOUT_MS = 100_000;

/** What tests listen to. */
const pageEvents = [
  'console',
  'pageerror',
  'request',
  'requestfinished',
  'requestfailed',
  'response',
  'dialog',
  'websocket',
];

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;
export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export interface View {
  readonly size?: keyof typeof sizes;
  readonly theme?: Theme;
  /** The session token of the user who opens the page. */
  readonly token?: string;
  /** Console messages that this test expects, such as a failed request. */
  readonly expected?: RegExp;
  /** Adds routes, listeners and cookies before the page loads. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Runs in the page before its own scripts. */
  readonly initScript?: string;
  /** Timers of the page run when the test says so; such a page is not reused. */
  readonly hasTestClock?: boolean;
  /** Nothing is in the browser's caches. */
  readonly isFirstVisit?: boolean;
}

interface OpenedPage {
  readonly page: Page;
  readonly origin: string;
  readonly isReusable: boolean;
  /** Run when a page loads. */
  readonly scripts: readonly { dispose(): Promise<void> }[];
  readonly messages: string[];
}

const opened: OpenedPage[] = [];
/** Of finished tests: loading the first page in a new process takes five times as much CPU time as in an old one. */
const spares: { readonly page: Page; readonly origin: string }[] = [];
/** Few tests open more pages than this. */
const MAX_SPARES = 3;

afterEach(async () => {
  const pages = opened.splice(0);
  for (const page of pages) await release(page);
  expect(
    pages.flatMap(({ messages }) => messages),
    'errors and warnings on the console',
  ).toEqual([]);
});

/** Opens a page with empty storage; it is closed, or emptied, after the test. */
export async function openPage(url: string, view: View = {}): Promise<Page> {
  const { size = 'desktop', theme = 'light', expected, before, hasTestClock = false, isFirstVisit = false } = view;
  const { origin } = new URL(url);
  const isReusable = !hasTestClock && !isFirstVisit;
  const page = (isReusable && takeSpare(origin)) || (await createPage());
  await page.setViewportSize(sizes[size]);
  await page.emulateMedia({ colorScheme: theme });
  const scripts = await Promise.all(listInitScripts(view).map((script) => page.context().addInitScript(script)));
  const messages: string[] = [];
  opened.push({ page, origin, isReusable, scripts, messages });
  const report = (text: string) => {
    if (!expected?.test(text)) messages.push(text);
  };
  page.on('console', (message) => {
    // Includes violations of the Content-Security-Policy.
    if (['error', 'warning'].includes(message.type())) report(message.text());
  });
  page.on('pageerror', (error) => report(error.message));
  if (hasTestClock) await page.clock.install();
  await before?.(page);
  await page.goto(url);
  return page;
}

function listInitScripts({ token, initScript }: View): string[] {
  const storeToken = `if (!localStorage.getItem('provenance-token')) localStorage.setItem('provenance-token', '${token}')`;
  return [...(token === undefined ? [] : [storeToken]), ...(initScript === undefined ? [] : [initScript])];
}

async function createPage(): Promise<Page> {
  const context = await (await getBrowser()).newContext({
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  return context.newPage();
}

function takeSpare(origin: string): Page | undefined {
  const place = spares.findIndex((spare) => spare.origin === origin);
  return place < 0 ? undefined : spares.splice(place, 1)[0]?.page;
}

/** Keeps a page for the next tests, without anything that this test has left in it. */
async function release({ page, origin, isReusable, scripts }: OpenedPage): Promise<void> {
  const context = page.context();
  const isUsable = isReusable && !page.isClosed() && new URL(page.url()).origin === origin;
  if (!isUsable || spares.length >= MAX_SPARES) return context.close();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const emitter of [page, context]) {
    for (const event of pageEvents) emitter.removeAllListeners(event);
    await emitter.unrouteAll({ behavior: 'ignoreErrors' });
  }
  await context.setOffline(false);
  await context.clearPermissions();
  await context.clearCookies();
  for (const script of scripts) await script.dispose();
  try {
    // A document of the service's that runs no script: nothing is stored once the storage is empty.
    await page.goto(`${origin}/healthz`);
    await page.evaluate('sessionStorage.clear()');
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
    spares.push({ page, origin });
  } catch {
    // The service may have been stopped.
    await context.close();
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let axe: Promise<string> | undefined;

/** No serious or critical axe violations. axe is evaluated from outside, because the page's policy blocks its script. */
export async function expectAccessible(page: Page): Promise<void> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axe);
  // Selectors and markup of everything that passes would take most of the time.
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run({ resultTypes: ['violations'] })`);
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  expect(
    serious.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => [html, failureSummary])]),
  ).toEqual([]);
}

/** The page is not wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
    '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
  );
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
}

/** The page is accessible, and not wider than the window of a phone and of a desktop. */
export async function expectUsableAtBothSizes(page: Page): Promise<void> {
  await expectAccessible(page);
  const before = page.viewportSize() ?? sizes.desktop;
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await expectNoSidewaysScroll(page);
  }
  await page.setViewportSize(before);
}

/** Nothing moved while the page loaded. */
export async function expectNoLayoutShift(page: Page): Promise<void> {
  const shifts = await page.evaluate<string[]>(
    `new Promise((resolve) => {
      const read = (list) => resolve(list.getEntries().flatMap(({ value, sources }) =>
        sources.map(({ node }) => node?.nodeName + ' ' + value)));
      new PerformanceObserver(read).observe({ type: 'layout-shift', buffered: true });
      // The observer reports nothing when nothing moved.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve([]))));
    })`,
  );
  expect(shifts).toEqual([]);
}
