// Signed copies on the register page, with a real browser and service.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { expectAccessible, expectNoSidewaysScroll, sizes } from './support/browser.js';
import {
  choose,
  createFiles,
  FAILED_REQUEST,
  fingerprintOf,
  press,
  registerPageOf,
  rowOf,
  start,
  summary,
  untilSummary,
} from './support/registerPage.js';

const service = await startService();
const ada = await createRegistrant(service.url);
const openRegisterPage = registerPageOf(service.url);

/** What is left in the storage of signed copies. */
const countStoredCopies = `new Promise((resolve, reject) => {
  const request = indexedDB.open('provenance-signed-copies');
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const count = request.result.transaction('copies').objectStore('copies').count();
    count.onsuccess = () => resolve(count.result);
  };
})`;

describe('Signed copies', () => {
  const createImage = async (name: string) => ({
    name,
    mimeType: 'image/png',
    buffer: await newImage('image/png'),
  });
  const option = (page: Page) => page.getByLabel('Also give me signed copies');
  const save = async (page: Page, button: RegExp) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).first().click();
    return download;
  };
  /** The registered file of which these bytes are a signed copy. */
  const originalOf = async (path: string) => {
    const { fingerprint } = await ada.client.getArtifact({
      fingerprint: fingerprintOf({ buffer: await readFile(path) }),
    });
    return fingerprint;
  };

  test('are made of images alone, survive a reload, and are downloaded together', async () => {
    const folder = await temporaryFolder();
    const [first, second] = [await createImage('same.png'), await createImage('same.png')];
    const [text] = createFiles(1);
    if (!text) throw new Error('Expected a file.');
    const sent = { uploads: 0, fingerprints: 0 };
    // A busy service asks to repeat an upload.
    const page = await openRegisterPage(ada, { theme: 'dark', expected: FAILED_REQUEST });
    page.on('response', (response) => {
      if (response.request().method() !== 'POST' || response.status() !== 201) return;
      sent[response.url().endsWith('/api/v1/artifacts') ? 'fingerprints' : 'uploads'] += 1;
    });
    expect(await option(page).isChecked()).toBe(false);
    await choose(page, [first, second, text]);
    await option(page).check();
    await page.getByLabel('How the files were made').selectOption({ label: 'Captured with a camera or recorder' });
    await page.getByText('Without the statement that you made these files').waitFor();
    await page.getByLabel('I made these files or may speak for their maker').check();
    await page.getByText('Without the statement that you made these files').waitFor({ state: 'detached' });
    await rowOf(page, text.name).getByText('By fingerprint: no signed copy of this type or size.').waitFor();
    await start(page);
    await untilSummary(page, '3 files: 3 registered, 3 on chain, 2 signed copies to download');
    expect(sent).toEqual({ uploads: 2, fingerprints: 1 });
    // Sent in a form for the image, as JSON for the text.
    for (const file of [first, text]) {
      const { metadata, authorshipStated } = await ada.client.getArtifact({ fingerprint: fingerprintOf(file) });
      expect([metadata.digitalSourceType, authorshipStated]).toEqual(['digitalCapture', true]);
    }
    await expectAccessible(page);
    await page.setViewportSize(sizes.phone);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize(sizes.desktop);

    await press(page, 'Clear 1 finished');
    await page.reload();
    await untilSummary(page, '2 files: 2 registered, 2 on chain, 2 signed copies to download');
    await page.getByRole('button', { name: 'Remove same.png' }).first().click();
    await page.getByRole('dialog', { name: 'Remove without downloading?' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    const archive = await save(page, /^Download 2 signed copies$/);
    expect(archive.suggestedFilename()).toBe('signed-copies.zip');
    await archive.saveAs(join(folder, 'copies.zip'));
    // Fails when a checksum or a length in the archive is wrong.
    await promisify(execFile)('unzip', ['-q', 'copies.zip'], { cwd: folder });
    const originals = await Promise.all(
      ['same-signed.png', 'same-signed (2).png'].map((name) => originalOf(join(folder, name))),
    );
    expect(originals.toSorted()).toEqual([first, second].map(fingerprintOf).toSorted());
    await press(page, 'Clear 2 finished');
    await summary(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('indexedDB.databases().then((list) => list.length)')).toBe(1);
    expect(await page.evaluate(countStoredCopies)).toBe(0);
  });

  test('of a file that is registered are made on request, of that very file', async () => {
    const own = await createImage('own.png');
    const path = join(await temporaryFolder(), 'own.png');
    await writeFile(path, own.buffer);
    await ada.client.createArtifact({ markId: ada.markId, fingerprint: fingerprintOf(own), filename: 'own.png' });
    const page = await openRegisterPage(ada, { expected: FAILED_REQUEST });
    const input = page.getByLabel('Choose files');
    await input.setInputFiles(path);
    await start(page);
    await rowOf(page, 'own.png').getByText('Already yours').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Get a signed copy of own.png' }).click();
    await page.getByText('Drop or choose this file again to get a signed copy.').waitFor();
    await input.setInputFiles(path);
    const download = await save(page, /^Download signed copy of own.png$/);
    expect(download.suggestedFilename()).toBe('own-signed.png');
    expect(await originalOf(await download.path())).toBe(fingerprintOf(own));
    // The copy itself is known now.
    await input.setInputFiles({
      name: 'copy.png',
      mimeType: 'image/png',
      buffer: await readFile(await download.path()),
    });
    await start(page);
    await rowOf(page, 'copy.png').getByText('Signed copy of a file under your Mark').waitFor();
    expect(await page.getByRole('button', { name: 'Get a signed copy of copy.png' }).count()).toBe(0);
  });
});
