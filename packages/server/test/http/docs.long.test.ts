// The documentation at /docs on a phone, in both themes.

import { expect, it } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from '../../../web/test/support/browser.js';

const { url } = await startService();
const docs = `${url}/docs/`;

it.each(['light', 'dark'] as const)('the documentation is accessible on a phone in the %s theme', async (theme) => {
  const page = await openPage(`${docs}concepts.html`, { size: 'phone', theme });
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.goto(`${docs}cli.html`);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // The theme of the user's choice, on the next page too.
  const other = theme === 'light' ? 'dark' : 'light';
  await page.getByLabel('Theme').selectOption(other);
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByRole('link', { name: 'FAQ', exact: true }).click();
  await page.getByRole('heading', { name: 'FAQ' }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe(other);
  await expectAccessible(page);
});
