// Look-alikes before and after a registration, and for the owner of a Mark.

import { computePerceptualHashes } from '@provenance-registry/client/node';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, openPage } from './support/browser.js';
import { copyPicture, drawPicture } from './support/pictures.js';
import { choose, fingerprintOf, registerPageOf, rowOf, start, untilSummary } from './support/registerPage.js';

const service = await startService();
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);
const openRegisterPage = registerPageOf(service.url);

test('codes of pictures are sent under public Marks alone, what looks like older files of others is shown before and after, and their owner sees it', async () => {
  const [picture, own] = [await drawPicture(11), await drawPicture(12)];
  const original = { name: 'lake.jpg', mimeType: 'image/jpeg', buffer: picture };
  const first = await openRegisterPage(bea);
  await choose(first, [original]);
  await start(first);
  await untilSummary(first, '1 file: 1 registered');
  const { metadata } = await bea.client.getArtifact({ fingerprint: fingerprintOf(original) });
  const { pHash, dHash } = (await computePerceptualHashes(picture)).hashes ?? expect.unreachable();
  expect(metadata).toMatchObject({ hashesBy: 'client', pHash, dHash });
  await expect
    .poll(async () => (await bea.client.findLookalikes({ codes: [{ pHash, dHash }] })).lookalikes.length)
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
