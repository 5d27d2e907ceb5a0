// From the first visit of the front page to a registered file that another visitor finds.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { randomUUID } from '../../../../../test/support/random.js';
import type { Service } from '../../../../../test/support/service.js';
import {
  expectAccessible,
  expectNoLayoutShift,
  expectNoSidewaysScroll,
  openPage,
  type View,
} from '../../support/browser.js';
import { createFile } from '../../support/verifyPage.js';

/** Compressed, with the headers, of everything that a first visit of the front page loads. */
const MAX_FIRST_LOAD_BYTES = 60_000;

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();
export const link = (page: Page, name: string | RegExp) => page.getByRole('main').getByRole('link', { name }).first();

export async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

/** Counts what the page transfers from now on. */
function countBytes(page: Page): { readonly read: () => Promise<number> } {
  const transfers: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const measure = async () => {
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      return responseBodySize + responseHeadersSize;
    };
    transfers.push(measure());
  });
  return { read: async () => (await Promise.all(transfers)).reduce((sum, bytes) => sum + bytes, 0) };
}

export async function registerFirstFile(
  service: Service,
  { size, theme }: Required<Pick<View, 'size' | 'theme'>>,
): Promise<void> {
  const at = (path: string) => `${service.url}${path}`;
  let bytes: ReturnType<typeof countBytes> | undefined;
  const page = await openPage(at('/'), {
    size,
    theme,
    isFirstVisit: true,
    before: async (opened) => {
      bytes = countBytes(opened);
    },
  });
  await heading(page, /^Put your name and a provable date on a file, or find out who registered it/);
  await heading(page, 'Found by anyone who has the file');
  await page.waitForLoadState('networkidle');
  await expectNoLayoutShift(page);
  const firstLoad = (await bytes?.read()) ?? Number.NaN;
  expect(firstLoad).toBeGreaterThan(10_000);
  expect(firstLoad).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  await page.getByText('Example', { exact: true }).waitFor();
  await page.getByText('Does a registration prove that I made the file?').click();
  await page.getByText(/^No\. It proves that the file existed at that time/).waitFor();
  await expectUsable(page);

  // A word that is not understood leads to its explanation and back.
  await link(page, 'Mark').click();
  await heading(page, 'How it works');
  const word = page.locator('#mark');
  await expect
    .poll(() => word.evaluate((element) => Math.round(element.getBoundingClientRect().top)))
    .toBeLessThan(740);
  await expectUsable(page);
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click();
  await heading(page, 'Questions and answers');
  await expectUsable(page);
  await link(page, 'Sign up and register a file').click();

  await page.getByLabel('Your name').fill(`Grace ${size}`);
  await page.getByLabel('Email address').fill(`${randomUUID()}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await heading(page, `Welcome, Grace ${size}`);
  await page.getByText('A Mark is the name under which you register files').waitFor();
  await expectUsable(page);
  expect(await page.getByLabel('Name of your Mark').inputValue()).toBe(`Grace ${size}`);
  await page.getByRole('button', { name: 'Create Mark' }).click();
  const file = await createFile(`first-${size}.txt`);
  await page.getByLabel('Choose a file').setInputFiles(file.path);
  await page.getByText('This is permanent').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Register this file' }).click();
  await page.getByText('Your first file is registered').waitFor();
  await expectUsable(page);
  await link(page, 'View its page').click();
  await page.waitForURL(at(`/artifacts/${file.fingerprint}`));
  await page.getByRole('main').getByText(`Grace ${size}`).first().waitFor();
  // From then on the dashboard is that of a user who knows the way.
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard' }).click();
  await heading(page, 'Your Marks');
  await expectUsable(page);

  const stranger = await openPage(at('/'), { size, theme });
  await stranger.getByLabel('Choose files').setInputFiles(file.path);
  await stranger.getByRole('region', { name: 'Result' }).getByText(`Grace ${size}`).first().waitFor();
  await expectUsable(stranger);
}
