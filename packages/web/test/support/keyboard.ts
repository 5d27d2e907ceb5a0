// What users of a page do with the keyboard alone.

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More than any page has. */
const MAX_STOPS = 200;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  expect.unreachable(`The keyboard does not reach ${target}.`);
}

export async function pressOn(page: Page, target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

export async function chooseByKeyboard(page: Page, paths: readonly string[], label = 'Choose files'): Promise<void> {
  // Before the key is pressed, so that the page does not open a window of the system.
  const chooser = page.waitForEvent('filechooser');
  chooser.catch(() => {});
  await pressOn(page, page.getByLabel(label));
  await (await chooser).setFiles(paths);
}
