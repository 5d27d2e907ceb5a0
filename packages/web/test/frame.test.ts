// The frame of every page: what is always there, and what is there when nothing else is.

import { expect, test } from 'vitest';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';

const service = await startService();
const home = `${service.url}/`;

test('after a link within the page the keyboard goes on in the new page, and back leads back', async () => {
  const page = await openPage(home);
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.waitForURL('**/gallery');
  await page.getByRole('heading', { name: 'Whose is this file?' }).waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
  await page.goBack();
  await page.getByRole('heading', { name: 'Whose is this file?' }).waitFor();
  expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/api/reference');
});

test('an address that leads nowhere says so, and leads on', async () => {
  const page = await openPage(`${home}nowhere`, { expected: /404/, size: 'phone', theme: 'dark' });
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Verify a file' }).click();
  await page.getByRole('heading', { name: 'Whose is this file?' }).waitFor();
});

test('a page that cannot be fetched says so within the frame, and the others are still there', async () => {
  const page = await openPage(home, { expected: /./ });
  await page.route('**/assets/GalleryPage-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
  await page.getByRole('button', { name: 'Reload the page' }).waitFor();
  await page.getByRole('link', { name: 'Verify', exact: true }).click();
  await page.getByRole('heading', { name: 'Whose is this file?' }).waitFor();
});
