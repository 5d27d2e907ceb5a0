// Pages in a real browser. Any error or warning on the console of a page fails its test.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { launchBrowser } from '../../../../test/support/browser.js';

/** Shorter than the test timeout, so that the error names what the test waited for. */
const PAGE_TIMEOUT_MS = 100_000;

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
  /** Runs before the page loads. */
  readonly before?: (page: Page) => Promise<unknown>;
}

let launching: Promise<Browser> | undefined;
const opened: { page: Page; messages: string[] }[] = [];

/** One for a test file. */
export function browser(): Promise<Browser> {
  launching ??= launchBrowser();
  return launching;
}
afterAll(async () => (await launching)?.close());

afterEach(async () => {
  const pages = opened.splice(0);
  await Promise.all(pages.map(({ page }) => page.context().close()));
  expect(
    pages.flatMap(({ messages }) => messages),
    'errors and warnings on the console',
  ).toEqual([]);
});

/** Opens a page with its own storage; it is closed after the test. */
export async function openPage(url: string, view: View = {}): Promise<Page> {
  const { size = 'desktop', theme = 'light', token, expected, before } = view;
  const context = await (await browser()).newContext({
    viewport: sizes[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  if (token !== undefined) {
    const script = `if (!localStorage.getItem('provenance-token')) localStorage.setItem('provenance-token', '${token}')`;
    await context.addInitScript(script);
  }
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const messages: string[] = [];
  opened.push({ page, messages });
  const report = (text: string) => {
    if (!expected?.test(text)) messages.push(text);
  };
  page.on('console', (message) => {
    // Includes violations of the Content-Security-Policy.
    if (['error', 'warning'].includes(message.type())) report(message.text());
  });
  page.on('pageerror', (error) => report(error.message));
  await before?.(page);
  await page.goto(url);
  return page;
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
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
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
