// The layout of every page, and the pages for errors.

import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { call, startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';

const service = await startService();
const home = `${service.url}/`;

test('after a link is followed the focus is in the new page, and the back button returns', async () => {
  const page = await openPage(home);
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.waitForURL('**/gallery');
  await page.getByRole('heading', { name: 'Who registered this file?' }).waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
  await page.goBack();
  await page.getByRole('heading', { name: 'Who registered this file?' }).waitFor();
  expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/api/reference');
});

test('the footer says which registry this is, by a fingerprint that is computed from its certificates', async () => {
  const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
  for (const size of ['phone', 'desktop'] as const) {
    const page = await openPage(home, { size, theme: size === 'phone' ? 'dark' : 'light' });
    const summary = page.getByRole('region', { name: 'This registry' });
    for (const text of [body.name, body.contract, shortFingerprint(registryFingerprint(body))]) {
      await summary.getByText(text, { exact: true }).waitFor();
    }
    await summary.getByText('What to compare').click();
    await summary.getByText(`provenance trust add ${service.url}`).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    const link = page.getByRole('contentinfo').getByRole('link', { name: 'Identity' });
    expect(await link.getAttribute('href')).toBe('/.well-known/provenance-registry');
  }
});

test('an unknown address shows a page with a way on', async () => {
  const page = await openPage(`${home}nowhere`, { expected: /404/, size: 'phone', theme: 'dark' });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Verify a file' }).click();
  await page.getByRole('heading', { name: 'Who registered this file?' }).waitFor();
});

test('a page that cannot be loaded shows an error, and the other pages still work', async () => {
  const page = await openPage(home, { expected: /./ });
  await page.route('**/assets/GalleryPage-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('heading', { name: 'This page could not be displayed' }).waitFor();
  await page.getByRole('button', { name: 'Reload page' }).waitFor();
  await page.getByRole('link', { name: 'Verify', exact: true }).click();
  await page.getByRole('heading', { name: 'Who registered this file?' }).waitFor();
});
