// What verification on the front page shows with a service that lies about everything that it serves, and with manifests
// inside files.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, waitForStatus } from '@provenance-registry/client';
import { expect, test } from 'vitest';
import { turnPicture } from '../../../test/support/hiddenBytes/hidingPlaces.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newDataFolder, startService } from '../../../test/support/service.js';
import { createImageSigner, newImage, type SignedImageOptions } from '../../../test/support/signedImages.js';
import {
  kindOf,
  listServiceLies,
  readServiceResponses,
  type ServiceLie,
} from '../../../test/support/tamperingService.js';
import { openPage } from './support/browser.js';
import { startNodeRelay } from './support/nodeRelay.js';
import {
  answer,
  choose,
  chosenFile,
  consistent,
  createFile,
  fact,
  homeHeading,
  registerFile,
  title,
  verifyIndependently,
} from './support/verifyPage.js';

const dataDir = await newDataFolder();
const service = await startService({ DATA_DIR: dataDir });
const home = `${service.url}/`;
const ada = await createRegistrant(service.url);
const mark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const { address, rpcUrl = '' } = await createClient({ baseUrl: service.url }).getContract();
const nodeUrl = await startNodeRelay(rpcUrl);
const rootsPem = await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8');
const [photo, otherPhoto] = await Promise.all([
  registerFile(ada, mark, 'sunrise.jpg'),
  registerFile(ada, mark, 'noon.jpg'),
]);

test('with sources of the visitor’s own, a sample of the lies of a dishonest service never shows a wrong fact as verified', async () => {
  let told: ServiceLie | undefined;
  const own = { nodes: nodeUrl, contract: address, chainId: '31337', roots: rootsPem };
  const page = await openPage(home, {
    expected: /./,
    initScript: `localStorage.setItem('provenance-own-sources', ${JSON.stringify(JSON.stringify(own))})`,
    before: async (opened) => {
      await opened.route(/\/(api|cdn|\.well-known)\//, async (route) => {
        const request = route.request();
        const { pathname, search } = new URL(request.url());
        const response = await route.fetch();
        const type = response.headers()['content-type']?.split(';', 1)[0] ?? '';
        const honest = { status: response.status(), type, body: new Uint8Array(await response.body()) };
        const kind = kindOf(request.method(), pathname + search, request.headers()['accept'] ?? '*/*');
        const { status, type: contentType, body } = told?.tamper(kind, honest) ?? honest;
        await route.fulfill({ status, contentType, body: Buffer.from(body) });
      });
    },
  });
  const read = async () => {
    await page.getByLabel('Or look up a fingerprint').fill(photo.fingerprint);
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'Verify independently' });
    await button.or(page.getByText('Could not check')).first().waitFor();
    if ((await button.count()) > 0) {
      await button.click();
      await page.locator('[data-verdict]').first().waitFor();
    }
    const shown = await page.evaluate<{ title: string; verdict: string; facts: string[] }>(`({
      title: document.querySelector('section[aria-labelledby] > h2')?.textContent ?? '',
      verdict: document.querySelector('[data-verdict] p')?.textContent ?? '',
      facts: [...document.querySelectorAll('div:has(+ figure) > dl > div')].flatMap((row) => {
        const lines = [...row.querySelectorAll('[class~=Fact-line]')];
        // A lie may remove evidence, and what is marked as the service's word may be one.
        row.querySelectorAll('small, [data-stated]').forEach((marked) => marked.remove());
        return (lines.length > 0 ? lines : [row.querySelector('dd')]).map(
          (line) => row.querySelector('dt').textContent + ': ' + line.textContent.trim(),
        );
      }),
    })`);
    await page.getByRole('link', { name: 'Provenance registry' }).first().click();
    await homeHeading(page).waitFor();
    return shown;
  };
  const honest = await read();
  expect(honest.verdict).toContain('The chain, the signed manifest and the public log confirm the registration');
  expect(honest.facts.join()).toContain('Ada’s Photos');
  const [responses, others] = await Promise.all(
    [photo, otherPhoto].map(({ fingerprint }) => readServiceResponses(service.url, fingerprint)),
  );
  const lies = listServiceLies(responses ?? new Map(), others ?? new Map());
  // And those about what the page shows of the record.
  const shownFields = /Artifact \/(mark\/name|createdAt|status|license\/name|metadata\/(author|mark)\/name) changed/;
  const isSampled = ({ name }: ServiceLie, index: number) =>
    index % Math.ceil(lies.length / 6) === 0 || shownFields.test(name);
  const sample = lies.filter(isSampled);
  const passed: unknown[] = [];
  for (const lie of sample) {
    told = lie;
    const shown = await read();
    const wrong = [shown.title, ...shown.facts].filter((text) => ![honest.title, ...honest.facts].includes(text));
    if (shown.verdict.startsWith('Verified') && wrong.length > 0) passed.push([lie.name, wrong]);
  }
  console.log(`page: ${sample.length} of ${lies.length} lies told, ${passed.length} passed`);
  expect(passed).toEqual([]);
});

test('a copy signed by the registry leads to the registered file; one that differs in a bit does not', async () => {
  const original = await newImage('image/png');
  const file = new File([original], 'noon.png', { type: 'image/png' });
  const { image } = await ada.client.signImage({ markId: mark.id, file });
  const { fingerprint } = await createFile('noon.png', original);
  await waitForStatus(ada.client, fingerprint);
  const copy = Buffer.from(image ?? []);
  const page = await openPage(home);
  await choose(page, await createFile('copy.png', copy));
  const label = 'Signed copy of a file registered under the Mark “Ada’s Photos”, according to this service';
  await title(page, label).waitFor();
  await page.getByText('Content Credentials in your file').click();
  for (const name of [
    'Signed copy of',
    // The manifest inside names it: the service need not know that.
    'Registered file',
  ]) {
    expect(await fact(page, name).getByRole('link').getAttribute('href')).toBe(`/#fingerprint=${fingerprint}`);
  }
  expect(await page.getByRole('link', { name: 'register it' }).count()).toBe(0);
  await verifyIndependently(page);
  await page.getByText(consistent).first().waitFor();
  expect(await fact(page, 'Mark').textContent()).toContain('Ada’s Photos');
  // With roots from elsewhere, the manifest inside the copy proves that it is one.
  await page.getByText('Use my own sources').last().click();
  await page.getByLabel('Root certificates').fill(rootsPem);
  await page.getByRole('button', { name: 'Save' }).click();
  await title(page, 'Signed copy of a file registered under the Mark “Ada’s Photos”').waitFor();
  expect(await fact(page, 'Signed copy of').textContent()).toContain('in the signed manifest');
  await page
    .getByText(
      'the signed manifest and the public log show that exactly this file was registered then as a signed copy',
    )
    .waitFor();
  copy.writeUInt8(copy.readUInt8(copy.length - 3) ^ 1, copy.length - 3);
  await choose(page, await createFile('changed.png', copy));
  await title(page, 'No exact match here. It carries Content Credentials that are not valid').waitFor();
  expect(await answer(page, 'Content Credentials')).toMatch(/^Not valid: .* was changed after it was signed/);
  await page.getByText('The content of the file was changed.').first().waitFor();
});

test('with roots of the visitor’s own, no file is intact with foreign content in its manifest, and no forged date is trusted', async () => {
  const [studio, stranger, backDater] = await Promise.all([
    createImageSigner(),
    createImageSigner(),
    createImageSigner({ backDatedTo: new Date('2019-05-06T07:08:09Z') }),
  ]);
  const named = [studio, backDater].flatMap(({ signersPem, timestampsPem }) => [signersPem, timestampsPem]);
  const roots = [rootsPem, ...named].join('\n');
  const page = await openPage(home, {
    initScript: `localStorage.setItem('provenance-own-sources', ${JSON.stringify(JSON.stringify({ roots }))})`,
  });
  const expectAnswer = async (name: string, bytes: Buffer, expected: RegExp) => {
    await choose(page, await createFile(name, bytes));
    await chosenFile(page).filter({ hasText: name }).waitFor();
    await expect.poll(() => answer(page, 'Content Credentials')).not.toMatch(/^Checking/);
    expect(await answer(page, 'Content Credentials')).toMatch(expected);
    // Also not in the details below.
    const isDated = (await page.getByText('by a time-stamp under').count()) > 0;
    expect([name, isDated]).toEqual([name, name === 'honest.jpg']);
  };
  const sign = async (signer: typeof stranger, options: SignedImageOptions) =>
    signer.sign('image/jpeg', await newImage('image/jpeg'), options);
  const ownStamp = { claimVersion: 1, oldStamp: studio.stamp } as const;
  await expectAnswer(
    'honest.jpg',
    await sign(studio, ownStamp),
    / by a time-stamp under the root certificates that you named\./,
  );
  // c2pa-rs alone calls the first one valid, and the date of the second one trusted.
  await expectAnswer('turned.jpg', turnPicture(await sign(stranger, { room: 2_000 })), /^Not valid/);
  const forged = await sign(studio, { claimVersion: 1, oldStamp: stranger.stamp });
  await expectAnswer('forged.jpg', forged, /Nothing that could be checked shows when it was signed\./);
  // The authority is one that the visitor named, and the time is before the certificate of the signer began.
  await expectAnswer('back-dated 1.jpg', await sign(backDater, { claimVersion: 1 }), /^Not valid/);
  await expectAnswer('back-dated 2.jpg', await sign(backDater, {}), /^Not valid/);
});

test('a manifest inside a file that takes too long to read is given up, and the file is looked up all the same', async () => {
  const signed = await (await createImageSigner()).sign('image/png', await newImage('image/png'));
  const page = await openPage(home, { hasTestClock: true });
  const isStuck = page.context().waitForEvent('request', (request) => request.url().endsWith('.wasm'));
  await page.context().route('**/*.wasm', () => {});
  await choose(page, await createFile('stuck.png', signed));
  await title(page, 'No exact match here').waitFor();
  await isStuck;
  await page.clock.fastForward(60_000);
  await page.getByText('Reading the manifest in the file took longer than 60 seconds.').waitFor();
});
