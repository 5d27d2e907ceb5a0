// The gallery of public Marks.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, openPage } from './support/browser.js';

const MARK_COUNT = 250;
const HOSTILE = '<script>alert(1)</script>';
const service = await startRegistry(await unreachableChain());
const { client: ada } = await createRegistrant(service.url);
const { user } = await ada.getMe();
await query(
  service.databaseUrl,
  `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id, created_at)
   select gen_random_uuid(), 'Studio ' || number, 'studio ' || number, 'public', 'MIT', $1, $1,
     now() - number * interval '1 minute'
   from generate_series(1, ${MARK_COUNT}) number`,
  [user.id],
);
await ada.createMark({ name: 'Clandestine', visibility: 'private' });
await ada.createMark({ name: HOSTILE });
const lighthouse = await ada.createMark({ name: 'Ｌighthouse Études', license: 'CC-BY-4.0' });

const gallery = `${service.url}/gallery`;
const mark = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name}\\b`) });
const searchFor = (page: Page, text: string) => page.getByRole('searchbox', { name: 'Search by name' }).fill(text);

test('the gallery shows only public Marks, newest first, with their owners', async () => {
  const page = await openPage(gallery);
  await mark(page, 'Studio 1').waitFor();
  const [first, second] = await page.locator('li[aria-posinset] a').allTextContents();
  expect(first).toMatch(
    /^Ｌighthouse ÉtudesNo verified identity · since .* · 0 ArtifactsAda · Creative Commons Attribution 4\.0 International$/,
  );
  expect(second).toContain(HOSTILE);
  expect(await page.content()).not.toContain('Clandestine');
});

test('a search matches part of a name, in any case and width, and is in the address', async () => {
  const page = await openPage(gallery);
  await mark(page, 'Studio 1').waitFor();
  await searchFor(page, 'LIGHT');
  await mark(page, 'Studio 1').waitFor({ state: 'detached' });
  await mark(page, 'Ｌighthouse Études').waitFor();
  expect(await page.locator('li[aria-posinset] a').count()).toBe(1);
  await page.waitForURL(`${gallery}?query=LIGHT`);
  await page.reload();
  await mark(page, 'Ｌighthouse Études').click();
  await page.waitForURL(`${service.url}/marks/${lighthouse.id}`);
  await page.goBack();
  await mark(page, 'Ｌighthouse Études').waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('LIGHT');
  await searchFor(page, '');
  await mark(page, 'Studio 1').waitFor();
  expect(page.url()).toBe(gallery);
});

test('a search without results shows a message; markup in it is text', async () => {
  const page = await openPage(gallery);
  await searchFor(page, '<b>%_nothing</b>');
  await page.getByText('No public Marks match your search.').waitFor();
  // One letter differs.
  await searchFor(page, 'lighthause');
  await page.getByText('No public Marks match your search.').waitFor();
  await searchFor(page, HOSTILE);
  await page.getByText(HOSTILE, { exact: true }).waitFor();
  expect(await page.locator('li[aria-posinset] a').count()).toBe(1);
});

test('scrolling loads more Marks, up to the last one', async () => {
  const page = await openPage(gallery);
  await mark(page, 'Studio 1').waitFor();
  await expect
    .poll(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return mark(page, `Studio ${MARK_COUNT}`).isVisible();
    })
    .toBe(true);
  expect(await page.locator('li[aria-posinset] a').count()).toBeLessThan(60);
});

test('the gallery is accessible and does not shift', async () => {
  const page = await openPage(gallery, { isFirstVisit: true });
  await mark(page, 'Studio 1').waitFor();
  await expectNoLayoutShift(page);
  await expectAccessible(page);
});
