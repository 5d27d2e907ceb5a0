// The dashboard on a phone, in both themes.

import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';
import { expectTabsUsable } from './support/dashboard.js';

const service = await startService();
const ada = await createRegistrant(service.url);
await ada.client.createOrganization({ name: 'Studio' });

const at = (path: string) => `${service.url}${path}`;
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();

test.each(themes)('every page of the dashboard is accessible in %s, and fits on a phone', async (theme) => {
  const page = await openPage(at('/login'), { theme, size: 'phone' });
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
  await heading(page, 'Sign up');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.goBack();
  await heading(page, 'Log in');
  await page.getByLabel('Email address', { exact: true }).fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await heading(page, 'Welcome');
  await expectTabsUsable(page);
  for (const name of ['Marks', 'Organizations']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    await heading(page, name);
    await page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
});
