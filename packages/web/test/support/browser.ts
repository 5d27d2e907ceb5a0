// A real browser. Whatever a page complains about on its console fails the test that opened it.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { launchBrowser } from '../../../../test/support/browser.js';

/** Below what a test may take: then it is said what was waited for. */
const PATIENCE_MS = 100_000;

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } } as const;
export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export interface View {
  readonly size?: keyof typeof sizes;
  readonly theme?: Theme;
  /** A user's token: the page is opened as that user. */
  readonly token?: string;
  /** Complaints that this test expects, such as a failed request. */
  readonly expected?: RegExp;
  /** Runs before anything of the page does, on the page and on others of its window. */
  readonly before?: (page: Page) => Promise<unknown>;
}

let launching: Promise<Browser> | undefined;
const opened: { page: Page; complaints: string[] }[] = [];

/** One for a test file. */
export function browser(): Promise<Browser> {
  launching ??= launchBrowser();
  return launching;
}
afterAll(async () => (await launching)?.close());

afterEach(async () => {
  const ended = opened.splice(0);
  await Promise.all(ended.map(({ page }) => page.context().close()));
  expect(
    ended.flatMap(({ complaints }) => complaints),
    'the page complains on its console',
  ).toEqual([]);
});

/** A page with a storage of its own, closed when the test is through. */
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
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  opened.push({ page, complaints });
  const complain = (text: string) => {
    if (!expected?.test(text)) complaints.push(text);
  };
  page.on('console', (message) => {
    // What the policy refuses is told here as an error, too.
    if (['error', 'warning'].includes(message.type())) complain(message.text());
  });
  page.on('pageerror', (error) => complain(error.message));
  await before?.(page);
  await page.goto(url);
  return page;
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let axe: Promise<string> | undefined;

/** Nothing that axe calls serious or critical. Its source is run from outside: the page's policy lets nobody in. */
export async function expectAccessible(page: Page): Promise<void> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run()');
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  expect(
    serious.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => [html, failureSummary])]),
  ).toEqual([]);
}

/** Nothing reaches beyond the right edge of the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { scrolled, seen } = await page.evaluate<{ scrolled: number; seen: number }>(
    '({ scrolled: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth })',
  );
  expect(scrolled).toBeLessThanOrEqual(seen);
}

/** Nothing that was seen moved while the page filled. */
export async function expectNoJump(page: Page): Promise<void> {
  const moved = await page.evaluate<string[]>(
    `new Promise((resolve) => {
      const read = (list) => resolve(list.getEntries().flatMap(({ value, sources }) =>
        sources.map(({ node }) => node?.nodeName + ' ' + value)));
      new PerformanceObserver(read).observe({ type: 'layout-shift', buffered: true });
      // The observer tells of nothing when there is nothing: then this comes first.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve([]))));
    })`,
  );
  expect(moved).toEqual([]);
}
