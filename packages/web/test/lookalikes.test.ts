// Look-alikes on the pages: of unknown files, before a registration, and for the owner of a Mark.

import { computeCodes } from '@provenance-registry/client/node';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { flac, melody, wav } from '../../server/test/support/sounds.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, sizes } from './support/browser.js';
import { copyPicture, drawPicture, flatPicture } from './support/pictures.js';
import { startRecordingProxy } from './support/recordingProxy.js';
import {
  choose,
  FAILED_REQUEST,
  fingerprintOf,
  registerPageOf,
  rowOf,
  start,
  untilSummary,
} from './support/registerPage.js';
import { choose as chooseToVerify, createFile } from './support/verifyPage.js';

const proxy = await startRecordingProxy();
const service = await startService({ BASE_URL: proxy.url });
proxy.forwardTo(service.url);
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);
const publicMark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const openRegisterPage = registerPageOf(service.url);
const home = `${proxy.url}/`;

test('an unknown picture or recording is shown beside what looks like it, never as the same; only codes are sent, and not if the user does not want it', async () => {
  const picture = await drawPicture(1);
  const song = flac(melody(25));
  for (const [filename, bytes] of Object.entries({ 'lake.jpg': picture, 'song.flac': song })) {
    const { fingerprint } = await createFile(filename, bytes);
    const { codes, chromaprint } = await computeCodes(bytes);
    await ada.client.createArtifact({ markId: publicMark.id, fingerprint, filename, ...codes, chromaprint });
  }
  const copy = await copyPicture(picture, (image) => image.flop());
  const page = await openPage(home, { expected: FAILED_REQUEST, hasTestClock: true });
  const sent = proxy.record();
  await chooseToVerify(page, await createFile('from a messenger.jpg', copy));
  await page.getByRole('heading', { level: 2, name: /^No exact match here/ }).waitFor();
  const found = page.getByRole('article');
  const state = page.locator('.answers');
  await expect
    .poll(async () => {
      // Other processes of the service find what was just registered after a moment.
      if (await state.getByText('No look-alike found').count())
        await chooseToVerify(page, await createFile('again.jpg', copy));
      return found.count();
    })
    .toBe(1);
  await found.getByRole('heading', { name: 'Looks like a file of the Mark Ada’s Photos' }).waitFor();
  const text = (await found.textContent()) ?? '';
  for (const part of [
    /Nearly identical, as close as copies of one picture usually are: \d of 64 bits differ\./,
    'Your file looks like it when it is mirrored.',
    'No verified identity',
    'Creative Commons Attribution 4.0',
    'Data mining: not allowed',
    'The registrant sent them: nothing shows that they belong to the registered file.',
  ]) {
    expect(text).toMatch(part);
  }
  await page.getByText('It does not prove that they show the same picture').waitFor();
  await page.getByText('Only a few codes of 8 bytes left this device, not the picture.').waitFor();
  await page.getByText('The registry learned what the file is like by its codes').waitFor();
  await page.getByRole('img', { name: 'Your file' }).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.thumbnail img').naturalWidth")).toBe(400);
  const bytes = sent();
  expect([bytes.includes('"pHash"'), bytes.includes(copy.subarray(-64)), bytes.includes('messenger')]).toEqual([
    true,
    false,
    false,
  ]);
  await expectAccessible(page);
  await page.setViewportSize(sizes.phone);
  await expectNoSidewaysScroll(page);

  await chooseToVerify(page, await createFile('excerpt.wav', wav(melody(22), 's16')));
  await page.getByRole('heading', { name: 'Sounds like a file of the Mark Ada’s Photos' }).waitFor();

  await page.route('**/public/lookalikes', (route) =>
    route.fulfill({ status: 503, json: { error: 'busy', code: 'UNAVAILABLE' } }),
  );
  await chooseToVerify(page, await createFile('unlike.jpg', await drawPicture(2)));
  await page.getByText('Searching for look-alikes …').waitFor();
  // Skips the pauses between the attempts.
  for (let attempt = 1; attempt < 5; attempt += 1) await page.clock.fastForward(30_000);
  await page.getByText('Look-alikes could not be searched.').waitFor();
  await page.unroute('**/public/lookalikes');
  await page.getByRole('button', { name: 'Search again' }).click();
  await state.getByText('No look-alike found. What your picture looks like was compared').waitFor();

  await page.getByLabel('Search for look-alikes').uncheck();
  await page.reload();
  const unsent = proxy.record();
  await chooseToVerify(page, await createFile('secret.jpg', await drawPicture(3)));
  await page.getByText('Look-alikes were not searched for: you have turned that off below.').waitFor();
  await page.getByText('The registry does not learn which file you checked.').waitFor();
  expect(unsent().includes('lookalikes')).toBe(false);
  // Otherwise the file above would be searched for.
  await page.reload();
  // One color: nothing to compare, and nothing sent.
  await page.getByLabel('Search for look-alikes').check();
  await chooseToVerify(page, await createFile('flat.png', await flatPicture()));
  await page.getByText('the file has too little in it to compare. Nothing was sent.').waitFor();
  expect(unsent().includes('lookalikes')).toBe(false);
});

test('codes of pictures are sent under public Marks alone, what looks like older files of others is shown before and after, and their owner sees it', async () => {
  const [picture, own] = [await drawPicture(11), await drawPicture(12)];
  const original = { name: 'lake.jpg', mimeType: 'image/jpeg', buffer: picture };
  const first = await openRegisterPage(bea);
  await choose(first, [original]);
  await start(first);
  await untilSummary(first, '1 file: 1 registered');
  const { metadata } = await bea.client.getArtifact({ fingerprint: fingerprintOf(original) });
  const { codes } = await computeCodes(picture);
  expect(metadata).toMatchObject({ hashesBy: 'client', pHash: codes?.pHash, dHash: codes?.dHash });
  await expect
    .poll(async () => (await bea.client.findLookalikes({ codes: [codes ?? expect.unreachable()] })).lookalikes.length)
    .toBe(1);

  const copy = { ...original, name: 'copy.jpg', buffer: await copyPicture(picture) };
  const page = await openRegisterPage(ada);
  await choose(page, [copy, { ...original, name: 'own.jpg', buffer: own }]);
  const warning = rowOf(page, 'copy.jpg').getByText(
    /Looks like a file of the Mark Ada Lovelace Photography, registered since/,
  );
  await warning.waitFor();
  await page.getByText('1 file in the list looks like files that others registered').waitFor();
  await page.getByText('That does not say that they are the same, or who made them.').waitFor();
  expect(await rowOf(page, 'own.jpg').getByText('Looks like').count()).toBe(0);
  await expectAccessible(page);
  await start(page);
  await untilSummary(page, '2 files: 2 registered');
  await warning.waitFor();

  const owner = await openPage(`${service.url}/dashboard/marks/${bea.markId}`, { token: bea.token });
  const found = owner.getByRole('article');
  await found.getByText('lake.jpg').waitFor();
  expect(await found.textContent()).toContain('before this one');
  const href = await found.getByRole('link', { name: 'Contest this registration' }).getAttribute('href');
  expect(href).toBe(`/dashboard/claims/new?artifact=${fingerprintOf(copy)}`);
  await expectAccessible(owner);

  const { id: privateId } = await ada.client.createMark({ name: 'Hidden', visibility: 'private' });
  const sent: string[] = [];
  await page.goto(`${service.url}/dashboard/register?mark=${privateId}`);
  page.on('request', (request) => sent.push(request.url(), request.postData() ?? ''));
  await page.getByText('Not for private Marks').waitFor();
  await choose(page, [{ ...original, name: 'hidden.jpg', buffer: await drawPicture(13) }]);
  await start(page);
  await untilSummary(page, /3 registered/);
  expect(sent.join()).not.toMatch(/pHash|lookalikes/);
  expect(sent.join()).toContain('hidden.jpg');
});
