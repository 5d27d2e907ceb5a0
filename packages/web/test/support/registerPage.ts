// The register page in a browser: opens it, chooses files and reads the list.

import { createHash } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { randomUUID } from '../../../../test/support/random.js';
import type { Registrant } from '../../../../test/support/registrants.js';
import { openPage, type View } from './browser.js';

/** What browsers log when a request fails. */
export const FAILED_REQUEST = /Failed to load resource/;

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export function createFiles(number: number, nameOf = (index: number) => `file ${index}.txt`): ChosenFile[] {
  const content = randomUUID();
  return Array.from({ length: number }, (_, index) => ({
    name: nameOf(index),
    mimeType: 'text/plain',
    buffer: Buffer.from(`${content} ${index}`),
  }));
}

export function fingerprintOf({ buffer }: Pick<ChosenFile, 'buffer'>): `0x${string}` {
  return `0x${createHash('sha256').update(buffer).digest('hex')}`;
}

/** @returns a function that opens the page of this service */
export const registerPageOf =
  (serviceUrl: string) =>
  (user: Pick<Registrant, 'token'>, view: View = {}): Promise<Page> =>
    openPage(`${serviceUrl}/dashboard/register`, { token: user.token, ...view });

/** Handles requests that create Artifacts. */
export function onCreation(page: Page, handle: (route: Route, number: number) => Promise<unknown>): Promise<unknown> {
  let number = 0;
  return page.route('**/api/v1/artifacts', (route) => {
    number += 1;
    return handle(route, number);
  });
}

export const choose = (page: Page, files: ChosenFile[]) => page.getByLabel('Choose files').setInputFiles(files);
/** Searches the controls only: in the whole page, with 250 rows, that takes seconds. */
export const press = (page: Page, name: string | RegExp) =>
  page.locator('section[aria-label] > div:first-child').getByRole('button', { name }).click();
export const start = (page: Page) => press(page, /^Register \d+ files?$/);
export const summary = (page: Page) => page.locator('section[aria-label] > div:first-child > p');
export const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

export async function untilSummary(
  page: Page,
  text: string | RegExp,
  options: { timeout?: number } = {},
): Promise<void> {
  try {
    await summary(page).filter({ hasText: text }).waitFor(options);
  } catch (error) {
    const content = await page.locator('main').textContent();
    throw new Error(`The summary never was ${text}. The page:\n${content?.slice(0, 2_000)}`, { cause: error });
  }
}
