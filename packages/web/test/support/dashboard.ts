// The pages of the dashboard, one after the other.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './browser.js';

const tabs = [
  'Register',
  'My files',
  'Marks',
  'Claims',
  'Organizations',
  'API keys',
  'Webhooks',
  'Account',
  'Overview',
] as const;

/** Follows every link of the dashboard; every page is accessible and fits. */
export async function expectTabsUsable(page: Page): Promise<void> {
  for (const name of tabs) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    await page.getByRole('link', { name, exact: true }).and(page.locator('[aria-current=page]')).waitFor();
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
}
