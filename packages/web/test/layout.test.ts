// What every page has: focus, footer and theme; and the pages for errors. With a real browser and service.

import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { call, startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, sizes } from './support/browser.js';

const service = await startService();
/** What the front page says first. */
const STATEMENT = /^Put your name and a provable date on a file/;

const home = `${service.url}/`;
const at = (path: string) => `${service.url}${path}`;

test('after a link is followed the focus is in the new page, and the back button returns', async () => {
  const page = await openPage(home);
  await page.getByRole('banner').getByRole('link', { name: 'Gallery' }).click();
  await page.waitForURL('**/gallery');
  await page.getByRole('heading', { name: STATEMENT }).waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('main');
  await page.goBack();
  await page.getByRole('heading', { name: STATEMENT }).waitFor();
  expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe('/api/reference');
});

test('the footer says which registry this is, by a fingerprint that is computed from its certificates', async () => {
  const { body } = await call(service, 'GET', '/.well-known/provenance-registry');
  const page = await openPage(home, { theme: 'dark' });
  const footer = page.getByRole('contentinfo');
  await footer.getByText('About this registry').click();
  for (const text of [body.name, body.contract, shortFingerprint(registryFingerprint(body))]) {
    await footer.getByText(text, { exact: true }).waitFor();
  }
  await footer.getByText(`provenance config trust add ${service.url}`).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(sizes.phone);
  await expectNoSidewaysScroll(page);
  const link = footer.getByRole('link', { name: 'Identity' });
  expect(await link.getAttribute('href')).toBe('/.well-known/provenance-registry');

  // With a contract whose address differs in its last digit, it is another registry.
  const contract = `${body.contract.slice(0, -1)}${body.contract.endsWith('0') ? '1' : '0'}`;
  const json = { ...body, contract };
  await page.route('**/.well-known/provenance-registry', (route) => route.fulfill({ json }));
  await page.reload();
  await footer.getByText('About this registry').click();
  await footer.getByText(shortFingerprint(registryFingerprint(json)), { exact: true }).waitFor();
  expect(await footer.getByText(shortFingerprint(registryFingerprint(body)), { exact: true }).count()).toBe(0);
});

test('a theme is chosen with the keyboard, in all tabs, and stays after a reload', async () => {
  const page = await openPage(home, { theme: 'light' });
  const other = await page.context().newPage();
  await other.goto(at('/login'));
  const background = (tab: Page) => tab.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const [light, choice] = [await background(page), page.getByRole('combobox', { name: 'Theme' })];
  await choice.focus();
  // The next two choices after the system's.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const dark = await background(page);
  expect(dark).not.toBe(light);
  await expect.poll(() => background(other)).toBe(dark);
  await other.reload();
  expect(await background(other)).toBe(dark);
  expect(await other.getByRole('combobox', { name: 'Theme' }).inputValue()).toBe('dark');
  await choice.selectOption('As the system');
  await expect.poll(() => background(other)).toBe(light);
  await page.reload();
  expect(await background(page)).toBe(light);
});

test('an unknown address shows a page with a way on', async () => {
  const page = await openPage(`${home}nowhere`, { expected: /404/, theme: 'dark' });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessible(page);
  await page.setViewportSize(sizes.phone);
  await expectNoSidewaysScroll(page);
  await page.getByRole('link', { name: 'Verify a file' }).click();
  await page.getByRole('heading', { name: STATEMENT }).waitFor();
});

test('a page that cannot be loaded shows an error, and the other pages still work', async () => {
  const page = await openPage(home, { expected: /./ });
  await page.route('**/assets/GalleryPage-*.js', (route) => route.abort());
  await page.getByRole('banner').getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('heading', { name: 'This page could not be displayed' }).waitFor();
  await page.getByRole('button', { name: 'Reload page' }).waitFor();
  await page.getByRole('link', { name: 'Verify', exact: true }).click();
  await page.getByRole('heading', { name: STATEMENT }).waitFor();
});
