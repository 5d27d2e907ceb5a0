// A journalist has photos and wants to know what is known about them: with the keyboard alone, on a phone.

import { waitForStatus } from '@provenance-registry/client';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../../test/support/registrants.js';
import { startService } from '../../../../test/support/service.js';
import { createImageSigner } from '../../../../test/support/signedImages.js';
import { expectUsableAtBothSizes, openPage } from '../support/browser.js';
import { chooseByKeyboard, pressOn, tabTo } from '../support/keyboard.js';
import { copyPicture, drawPicture } from '../support/pictures.js';
import { startRecordingProxy } from '../support/recordingProxy.js';
import { answer, createFile, title } from '../support/verifyPage.js';

const proxy = await startRecordingProxy();
const [service, agency] = await Promise.all([
  startService({ BASE_URL: proxy.url }),
  createImageSigner({ name: `CN=Z${'\u0354\u036d\u0335'.repeat(60)}eitung, O=Not Reuters` }),
]);
proxy.forwardTo(service.url);
const ada = await createRegistrant(service.url);
const { id: markId } = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0' });

const signedCopy = 'Signed copy of a file registered under the Mark “Ada’s Photos”, according to this service';
const markup = '<img src=x onerror=alert(1)>';
const source = (term: string) => `http://cv.iptc.org/newscodes/digitalsourcetype/${term}`;

/** Registered, with the copy that the registry signed; one that a messenger saved again; and the card. */
const original = await drawPicture(1);
const { fingerprint } = await createFile('lake.jpg', original);
const { image } = await ada.client.signImage({
  markId,
  file: new File([new Uint8Array(original)], 'lake.jpg', { type: 'image/jpeg' }),
});
const { c2paAssets } = await waitForStatus(ada.client, fingerprint);
const card = await (await fetch(c2paAssets.signedAssetUrl)).arrayBuffer();
/** Of another signer: made with AI, then edited more often than anyone reads. */
const generated = await agency.sign('image/jpeg', await drawPicture(21), {
  title: 'Draft\u202egnp.exe',
  actions: [
    {
      action: 'c2pa.created',
      digitalSourceType: source('trainedAlgorithmicMedia'),
      softwareAgent: { name: 'Dreamer' },
    },
  ],
});
const foreign = await agency.sign('image/jpeg', generated, {
  title: markup,
  actions: [
    { action: 'c2pa.cropped', when: '2026-03-01T10:00:00Z', softwareAgent: { name: 'Darkroom' } },
    { action: 'c2pa.color_adjustments' },
    { action: 'constructor', description: markup },
    ...Array.from({ length: 70 }, () => ({ action: 'c2pa.edited' })),
  ],
  permissions: { ai_training: 'notAllowed' },
});
const paths = await Promise.all(
  Object.entries({
    'foreign.jpg': foreign,
    'copy.jpg': Buffer.from(image ?? []),
    'resaved.jpg': await copyPicture(original),
    'unknown.jpg': await drawPicture(99),
    'card.png': Buffer.from(card),
    // Some kilobytes that decode to half a gigabyte.
    'bomb.png': await sharp({ create: { width: 11_000, height: 11_000, channels: 3, background: '#fff' } })
      .png()
      .toBuffer(),
  }).map(async ([name, content]) => (await createFile(name, content)).path),
);
const [foreignPath = '', copyPath = '', resavedPath = '', unknownPath = '', cardPath = '', bombPath = ''] = paths;

const thumbnailWidth = (page: Page) => page.evaluate('document.querySelector(\'img[alt="Your file"]\')?.naturalWidth');

test('each kind of photo gets its answer', async () => {
  const page = await openPage(`${proxy.url}/`, {
    size: 'phone',
    before: async (opened) => opened.on('dialog', () => expect.unreachable()),
  });
  const sent = proxy.record();

  // With Content Credentials of a signer that no one vouches for.
  await chooseByKeyboard(page, [foreignPath]);
  await page
    .getByRole('heading', {
      level: 2,
      name: /^No exact match here\. It carries Content Credentials of a signer that calls itself “Z/,
    })
    .waitFor();
  await expect.poll(() => thumbnailWidth(page)).toBe(400);
  await page.getByText('Shown from your device. It was not uploaded.').waitFor();
  const credentials = await answer(page, 'Content Credentials');
  for (const text of [
    'The signature is intact, but this browser knows of no reason to trust the name in it.',
    'eitung, Not Reuters',
    'Nothing that could be checked shows when it was signed.',
    'Something that went into it was made or edited with generative AI, according to the history in the file.',
    'Edits that the history names: Cropped, Colors adjusted, constructor, Edited.',
    'The history has 2 versions.',
  ]) {
    expect(credentials).toContain(text);
  }
  await expect.poll(() => answer(page, 'Look-alikes')).toContain('No look-alike found.');
  expect(await answer(page, 'Exact match here')).toMatch(/^Not found/);
  expect(await answer(page, 'Claims')).toMatch(/^Not found/);
  const history = await page.locator('section > ol > li').allTextContents();
  expect(history).toEqual([
    expect.stringMatching(/^Earlier version: Draft�gnp\.exe.*Created, made with generative AI, with Dreamer$/),
    expect.stringMatching(
      /^Your file: <img.*Cropped, with Darkroom, March 1, 2026 at 10:00.*constructor: <img.*Edited, 4\d times in a rowand 2\d more$/,
    ),
  ]);
  await expectUsableAtBothSizes(page);
  // With the root of the signer from elsewhere, it is trusted.
  await pressOn(page, page.getByRole('button', { name: 'Add root certificates' }));
  await tabTo(page, page.getByLabel('Root certificates'));
  await page.keyboard.insertText(agency.signersPem);
  await pressOn(page, page.getByRole('button', { name: 'Save' }));
  await page.getByRole('heading', { level: 2, name: /It carries Content Credentials signed by “Z/ }).waitFor();
  expect(await answer(page, 'Content Credentials')).toContain('under the root certificates that you named');

  // The copy that the registry signed leads to the registered file, and so does the card.
  await chooseByKeyboard(page, [cardPath]);
  await title(page, 'Card or signed copy of a registered file, according to this service').waitFor();
  await chooseByKeyboard(page, [copyPath]);
  await title(page, signedCopy).waitFor();
  await expect.poll(() => answer(page, 'Content Credentials')).toContain('Signed by the registry');
  expect(await answer(page, 'Claims')).toContain('No open claim to this registration');
  await expectUsableAtBothSizes(page);
  await pressOn(page, page.getByRole('link', { name: 'the registered file' }).first());
  await page.getByRole('heading', { level: 1, name: 'lake.jpg' }).waitFor();
  await page.goBack();
  await title(page, signedCopy).waitFor();

  // Saved again: no exact match, but a look-alike of a named Mark.
  await chooseByKeyboard(page, [resavedPath]);
  await title(page, 'No exact match here. A registered file looks like it').waitFor();
  expect(await answer(page, 'Look-alikes')).toMatch(
    /One registered file looks like it\. The closest is of the Mark Ada’s Photos, registered since/,
  );
  expect(await answer(page, 'Content Credentials')).toMatch(/^Not found.*many programs and websites remove them/);
  await page.getByText('It does not prove that they show the same picture').waitFor();
  await expectUsableAtBothSizes(page);

  // Nothing known, and a picture that would fill the memory: the page says so, and stays alive.
  for (const path of [unknownPath, bombPath]) {
    await chooseByKeyboard(page, [path]);
    await title(page, 'No exact match here').waitFor();
    await expect.poll(() => answer(page, 'Content Credentials')).toMatch(/^Not found/);
    await expect.poll(() => answer(page, 'Look-alikes')).toMatch(path === bombPath ? /^Not checked/ : /^Not found/);
    const shown = path === bombPath ? 'Not shown: this picture is too large' : 'Shown from your device.';
    await page.getByText(shown).waitFor();
  }

  // Together, each has a row that opens.
  await chooseByKeyboard(page, paths);
  await page
    .locator('div:has(> progress)', { hasText: '1 registered, 1 card or signed copy, 4 not registered here.' })
    .waitFor();
  await page.getByText(/Content Credentials signed by “Z/).waitFor();
  const row = page.locator('summary', { hasText: 'resaved.jpg' });
  await pressOn(page, row);
  await row.getByText('No exact match here. A registered file looks like it').waitFor();
  await expectUsableAtBothSizes(page);
  await page.getByRole('heading', { level: 2, name: 'Verify another file' }).waitFor();

  const bytes = sent();
  for (const content of [foreign, original]) expect(bytes.includes(content.subarray(-64))).toBe(false);
});
