// Look-alikes of unknown files on the front page.

import { computePerceptualHashes } from '@provenance-registry/client/node';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { flac, melody, wav } from '../../server/test/support/sounds.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, sizes } from './support/browser.js';
import { copyPicture, drawPicture, flatPicture } from './support/pictures.js';
import { startRecordingProxy } from './support/recordingProxy.js';
import { FAILED_REQUEST } from './support/registerPage.js';
import { choose as chooseToVerify, createFile } from './support/verifyPage.js';

const proxy = await startRecordingProxy();
const service = await startService({ BASE_URL: proxy.url });
proxy.forwardTo(service.url);
const ada = await createRegistrant(service.url);
const publicMark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const home = `${proxy.url}/`;

test('an unknown picture or recording is shown beside what looks like it, never as the same; only codes are sent, and not if the user does not want it', async () => {
  const picture = await drawPicture(1);
  const song = flac(melody(25));
  for (const [filename, bytes] of Object.entries({ 'lake.jpg': picture, 'song.flac': song })) {
    const { fingerprint } = await createFile(filename, bytes);
    const { hashes, queryHashes, chromaprint } = await computePerceptualHashes(bytes, { forSearch: true });
    await ada.client.createArtifact({ markId: publicMark.id, fingerprint, filename, ...hashes, chromaprint });
    if (!queryHashes) continue;
    const codes = [...queryHashes];
    // The index of images finds what was just registered after a moment.
    await expect.poll(async () => (await ada.client.findLookalikes({ codes })).lookalikes.length).toBe(1);
  }
  const copy = await copyPicture(picture, (image) => image.flop());
  const page = await openPage(home, { expected: FAILED_REQUEST, hasTestClock: true });
  const sent = proxy.record();
  await chooseToVerify(page, await createFile('from a messenger.jpg', copy));
  await page.getByRole('heading', { level: 2, name: /^No exact match here/ }).waitFor();
  const found = page.getByRole('article');
  const state = page.locator('main dl[aria-label]');
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
  await page.getByText('By its visual or audio fingerprint, the registry learned what the file is like.').waitFor();
  await page.getByRole('img', { name: 'Your file' }).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('figure img').naturalWidth")).toBe(400);
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
  await page.getByText('has nothing to compare. Nothing was sent.').waitFor();
  expect(unsent().includes('lookalikes')).toBe(false);
});
