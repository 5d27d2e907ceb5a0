// A photographer on a phone registers photos, finds them again, exports and secures them, and gives a client one link to chosen ones.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../../test/support/service.js';
import { parseBundle, verifyBundle } from '../../../client/src/index.js';
import { expectNoLayoutShift, expectUsableAtBothSizes, openPage } from '../support/browser.js';
import { drawPicture } from '../support/pictures.js';
import { choose, fingerprintOf, start, untilSummary } from '../support/registerPage.js';

/** A name that a spreadsheet would compute, and one of private work. */
const NAMES = ['wedding 10.jpg', 'Wedding 2.jpg', '=cmd|calc.jpg', 'secret client.jpg'];

const drawPhotos = () =>
  Promise.all(
    NAMES.map(async (name, index) => ({
      name,
      mimeType: 'image/jpeg',
      buffer: await drawPicture(10 + index),
    })),
  );

const listed = (page: Page) => page.locator('li[aria-posinset] a > span > span:first-child').allTextContents();
const select = (page: Page, name: string) => page.getByLabel(`Select ${name}`, { exact: true });
const action = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function save(page: Page, press: () => Promise<unknown>): Promise<string> {
  const download = page.waitForEvent('download');
  await press();
  const file = await download;
  const path = join(await temporaryFolder(), file.suggestedFilename());
  await file.saveAs(path);
  return path;
}

/** Fails when a checksum or a length in the archive is wrong. */
async function unpack(path: string): Promise<{ folder: string; names: string[] }> {
  const folder = await temporaryFolder();
  await promisify(execFile)('unzip', ['-q', path, '-d', folder]);
  return { folder, names: (await readdir(folder)).toSorted() };
}

const service = await startService();

test('photos are registered, exported, secured and shown to a client', async () => {
  const ada = await createRegistrant(service.url);
  const photos = await drawPhotos();
  const [first, , , secret] = photos;
  if (!first || !secret) throw new Error('Expected photos.');

  // Registers, and finds the files without searching for them.
  const page = await openPage(`${service.url}/dashboard/register`, { token: ada.token, size: 'phone' });
  await choose(page, photos);
  await start(page);
  await untilSummary(page, '4 files: 4 registered');
  await page.locator('section[aria-label] > div:first-child').getByRole('link', { name: 'My files' }).click();
  await expect.poll(() => listed(page)).toHaveLength(4);
  // The page shows when the chain has them, without a reload.
  await expect.poll(() => page.locator('li[aria-posinset]').getByText('On chain').count(), { timeout: 60_000 }).toBe(4);
  await expectUsableAtBothSizes(page);

  // Search and order are in the address: a reload keeps them.
  await page.getByLabel('Sort by').selectOption('File name');
  await page.getByLabel('Search by file name').fill('WEDDING');
  await expect.poll(() => listed(page)).toEqual(['wedding 10.jpg', 'Wedding 2.jpg']);
  await page.reload();
  await expect.poll(() => listed(page)).toEqual(['wedding 10.jpg', 'Wedding 2.jpg']);
  await expectNoLayoutShift(page);
  await page.getByLabel('Search by file name').fill('nothing');
  await page.getByText('No files match these filters.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await expect
    .poll(() => listed(page))
    .toEqual(['=cmd|calc.jpg', 'secret client.jpg', 'wedding 10.jpg', 'Wedding 2.jpg']);

  // The export has all of them, and no formula.
  const csv = await readFile(await save(page, () => action(page, 'Export CSV').click()), 'utf8');
  const lines = csv.split('\r\n');
  expect(lines).toHaveLength(6);
  expect(lines[0]).toMatch(/^\ufeff"File name","Fingerprint","Status"/);
  expect(lines[1]).toMatch(/^"'=cmd\|calc\.jpg","0x[0-9a-f]{64}","submitted"/);
  const exported = JSON.parse(await readFile(await save(page, () => action(page, 'Export JSON').click()), 'utf8'));
  expect(exported.artifacts.map(({ metadata }: { metadata: { filename: string } }) => metadata.filename)).toEqual(
    await listed(page),
  );

  // Evidence of a range, chosen with the keyboard: checked without the service.
  await select(page, 'secret client.jpg').press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.locator('label span', { hasText: '3 selected' }).waitFor();
  const bundles = await unpack(await save(page, () => action(page, 'Evidence bundles').click()));
  await page.locator('section p', { hasText: '3 done' }).waitFor();
  expect(bundles.names).toEqual(
    ['Wedding 2.jpg', 'secret client.jpg', 'wedding 10.jpg'].map((name) => `${name}.bundle.json`),
  );
  const bundle = parseBundle(JSON.parse(await readFile(join(bundles.folder, 'wedding 10.jpg.bundle.json'), 'utf8')));
  const { verdict, checks } = await verifyBundle(bundle, { fingerprint: fingerprintOf(first) });
  expect([verdict, checks.chain.state]).toEqual(['consistent', 'unavailable']);
  await expectUsableAtBothSizes(page);

  // A signed copy of the file that was chosen again; another file is not sent.
  await action(page, 'Signed copies').click();
  const stranger = { ...first, name: 'another.jpg', buffer: await drawPicture(999) };
  const copies = await unpack(
    await save(page, () => page.getByLabel('Choose the original files').setInputFiles([first, stranger])),
  );
  await page.locator('section p', { hasText: '1 done, 1 skipped' }).waitFor();
  await page.getByText('2 selected files were not among the files that you chose.').waitFor();
  expect(copies.names).toEqual(['wedding 10-signed.jpg']);
  const copy = { buffer: await readFile(join(copies.folder, 'wedding 10-signed.jpg')) };
  expect((await ada.client.getArtifact({ fingerprint: fingerprintOf(copy) })).fingerprint).toBe(fingerprintOf(first));

  // The name of private work is hidden.
  await action(page, 'Clear').click();
  await select(page, 'secret client.jpg').click();
  await action(page, 'Visibility').click();
  await page.getByRole('dialog').getByText('What is already published stays').waitFor();
  await action(page, 'Make private').click();
  await page.locator('li[aria-posinset]').getByText('Private details').waitFor();

  // One link for the client, who needs no account.
  await page.getByLabel('Select all loaded files').check();
  await action(page, 'Contact sheet').click();
  await page.getByLabel('Title').fill('Ines & Paul <b>');
  await page.getByLabel('Title').press('Tab');
  await page.getByRole('heading', { name: 'Ines & Paul <b>' }).waitFor();
  const link = page.url();
  const requested: string[] = [];
  const client = await openPage(service.url, { size: 'phone' });
  client.on('request', (request) => requested.push(request.url()));
  await client.goto(link);
  await client.getByRole('heading', { name: 'Ines & Paul <b>' }).waitFor();
  await expect.poll(() => client.locator('main li').getByText('On chain').count()).toBe(4);
  expect(await client.locator('main li h2').allTextContents()).toEqual([
    '=cmd|calc.jpg',
    'An image',
    'wedding 10.jpg',
    'Wedding 2.jpg',
  ]);
  expect(
    await client
      .locator('main li')
      .getByRole('img', { name: /^QR code/ })
      .count(),
  ).toBe(4);
  expect(requested.filter((url) => url.includes('#') || url.includes('Ines'))).toEqual([]);
  await expectUsableAtBothSizes(client);
  await client.getByRole('heading', { name: 'wedding 10.jpg' }).getByRole('link').click();
  await client.waitForURL(`**/artifacts/${fingerprintOf(first)}`);
  await client.goto(link.slice(0, -40));
  await client.reload();
  await client.getByText('This link is incomplete or damaged').waitFor();
});
