// The extension in a real Chromium, with pages of strangers and a real registry.

import { createClient, waitForStatus } from '@provenance-registry/client';
import { computePerceptualHashes } from '@provenance-registry/client/node';
import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../test/support/artifacts.js';
import { turnPicture } from '../../../test/support/hiddenBytes/hidingPlaces.js';
import { createImageSigner, newImage } from '../../../test/support/signedImages.js';
import { expectAccessible, expectNoSidewaysScroll, themes } from '../../web/test/support/browser.js';
import { copyPicture, drawPicture } from '../../web/test/support/pictures.js';
import { readAnswer, readFacts } from './support/extension.js';
import { file, open } from './support/fileServer.js';
import { startExtensionWithRegistry } from './support/registry.js';

const MARKUP = '<img src=x onerror=alert(1)>';
const [{ proxy, service, ada, mark, extension, server, pageUrl, picture }, signer, backDater, unregistered] =
  await Promise.all([
    startExtensionWithRegistry(MARKUP),
    createImageSigner({ name: 'CN=Trusted News, O=Trusted News' }),
    createImageSigner({ backDatedTo: new Date('2019-05-06T07:08:09Z') }),
    drawPicture(2),
  ]);

test('nothing is sent before a registry is confirmed by its fingerprint, and a page learns nothing of the extension', async () => {
  const sent = proxy.record();
  server.serve(
    '/',
    file(`<!doctype html><title>x</title><img src="/small.jpg" srcset="/large.jpg 2x">`, {
      'content-type': 'text/html',
    }),
  );
  server.serve('/large.jpg', file(unregistered, open));
  server.serve('/small.jpg', file(unregistered, open));
  const page = await extension.context.newPage();
  await page.goto(pageUrl);
  const reached = await page.evaluate(
    `Promise.all(['panel.html', 'options.html', 'icons/16.png', 'manifest.json'].map((path) =>
      fetch('chrome-extension://${extension.id}/' + path).then(() => path, () => 'blocked')))
      .then((results) => [...results, typeof chrome.runtime])`,
  );
  expect(reached).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'undefined']);
  await page.close();
  const panel = await extension.choose('image', server.url('site.example', '/large.jpg'), pageUrl);
  await panel.getByText('Choose a registry first').waitFor();
  // The page loads the small one.
  expect([server.requestsFor('/large.jpg').length, sent().length]).toEqual([0, 0]);

  const { options } = extension;
  await options.getByText('None yet.').waitFor();
  for (const address of ['http://registry.example', 'ftp://127.0.0.1', 'https://a:b@registry.example', '']) {
    await options.getByLabel('Address of the registry').fill(address);
    await options.getByRole('button', { name: 'Show who it is' }).click();
    await options.getByText('Enter an address that starts with https://').waitFor();
  }
  expect(sent().length).toBe(0);
  await options.getByLabel('Address of the registry').fill(proxy.url);
  await options.keyboard.press('Enter');
  const identity = await createClient({ baseUrl: service.url }).getRegistryIdentity();
  await options.getByText(shortFingerprint(registryFingerprint(identity))).waitFor();
  await options.getByText('Example Press').waitFor();
  await expectAccessible(options);
  await options.getByRole('button', { name: 'Use this registry' }).click();
  await options.getByText('Saved.').waitFor();
  // The panel that was waiting goes on by itself.
  expect((await readAnswer(panel, 'Exact match')).state).toBe('Not found');
  expect(await readFacts(panel)).toContain(fingerprintOf(unregistered));
  await panel.close();
});

test('a registered picture is told with Mark, time and claims, and an unknown one without naming it to the registry; look-alikes only on demand', async () => {
  const fingerprint = fingerprintOf(picture);
  const { hashes: codes } = await computePerceptualHashes(picture);
  await ada.client.createArtifact({ markId: mark.id, fingerprint, filename: 'lake.jpg', ...codes });
  await waitForStatus(ada.client, fingerprint);
  const { pHash, dHash } = codes ?? expect.unreachable();
  const findLookalikes = () => ada.client.findLookalikes({ codes: [{ pHash, dHash }] });
  await expect.poll(async () => (await findLookalikes()).lookalikes.length).toBe(1);
  server.serve('/lake.jpg', file(picture, { ...open, 'content-type': 'image/png' }));
  const sent = proxy.record();
  const panel = await extension.choose('image', server.url('site.example', '/lake.jpg'), pageUrl);
  const exact = await readAnswer(panel, 'Exact match');
  expect(exact.state).toBe('Found');
  for (const part of [
    'According to',
    'Example Press',
    MARKUP,
    'No verified identity',
    'On chain',
    'only the fingerprint was sent',
  ]) {
    expect(exact.text.toLowerCase()).toContain(part.toLowerCase());
  }
  expect(await panel.locator('dl > div[data-tone] img, [data-tone="good"]').count()).toBe(0);
  expect((await readAnswer(panel, 'Claims')).text).toContain('No open claim');
  expect((await readAnswer(panel, 'Content Credentials')).state).toBe('Not found');
  const link = panel.getByRole('link', { name: 'Open its page in the registry' });
  expect(await link.getAttribute('href')).toBe(`${proxy.url}/artifacts/${fingerprint}`);
  const facts = await readFacts(panel);
  for (const part of [
    'lake.jpg',
    `site.example:${server.port}, fetched by this extension without your cookies`,
    'by its first bytes it is JPEG',
  ]) {
    expect(facts).toContain(part);
  }
  await panel.getByRole('img', { name: 'The fetched file' }).waitFor();
  await panel.getByText('so it knows which file was checked').waitFor();
  const request = server.requestsFor('/lake.jpg').at(-1);
  expect([request?.headers.cookie, request?.headers.referer]).toEqual([undefined, undefined]);
  expect(sent().includes('lookalikes')).toBe(false);

  const copy = await copyPicture(picture);
  server.serve('/copy.jpg', file(copy, open));
  const unnamed = proxy.record();
  const other = await extension.choose('link', server.url('site.example', '/copy.jpg'), pageUrl);
  expect((await readAnswer(other, 'Exact match')).state).toBe('Not found');
  await other.getByText('The registry does not learn which file you checked.').waitFor();
  expect((await readAnswer(other, 'Look-alikes')).state).toBe('Not checked');
  const asked = unnamed();
  expect(asked.includes(`/public/fingerprints/${fingerprintOf(copy).slice(2, 6)}`)).toBe(true);
  expect([asked.includes(fingerprintOf(copy).slice(2, 12)), asked.includes('pHash')]).toEqual([false, false]);
  const search = other.getByRole('button', { name: 'Search for this picture' });
  await search.focus();
  await other.keyboard.press('Enter');
  // Before, it was not checked.
  await expect.poll(async () => (await readAnswer(other, 'Look-alikes')).text).toContain(MARKUP);
  expect((await readAnswer(other, 'Look-alikes')).text).toContain('does not prove that it is the same work');
  await other.getByText('By its visual or audio fingerprint, the registry learned what the file is like.').waitFor();
  const bytes = unnamed();
  expect([bytes.includes('"pHash"'), bytes.includes(copy.subarray(-64))]).toEqual([true, false]);
  for (const theme of themes) {
    await other.setViewportSize({ width: 320, height: 640 });
    await other.emulateMedia({ colorScheme: theme });
    await expectAccessible(other);
    await expectNoSidewaysScroll(other);
  }
});

test('Content Credentials of a stranger are what the signer calls itself, and changed ones are not valid, nor forged dates trusted', async () => {
  const signed = await signer.sign('image/jpeg', unregistered, {
    // c2pa-rs alone calls the time of such a claim trusted, and the next file valid.
    claimVersion: 1,
    actions: [
      {
        action: 'c2pa.created',
        digitalSourceType: 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia',
      },
    ],
  });
  server.serve('/signed.jpg', file(signed, open));
  const panel = await extension.choose('image', server.url('site.example', '/signed.jpg'), pageUrl);
  const { state, text } = await readAnswer(panel, 'Content Credentials');
  expect(state).toBe('Found');
  for (const part of [
    'The signer calls itself',
    'Trusted News',
    'Nothing that could be checked shows when it was signed.',
    'trainedAlgorithmicMedia',
  ]) {
    expect(text).toContain(part);
  }
  const turned = turnPicture(await signer.sign('image/jpeg', await newImage('image/jpeg'), { room: 2_000 }));
  server.serve('/turned.jpg', file(turned, open));
  const other = await extension.choose('image', server.url('site.example', '/turned.jpg'), pageUrl);
  expect((await readAnswer(other, 'Content Credentials')).state).toBe('Not valid');
  // From before the certificate of the signer began.
  const backDated = await backDater.sign('image/jpeg', await newImage('image/jpeg'), { claimVersion: 1 });
  server.serve('/back-dated.jpg', file(backDated, open));
  const third = await extension.choose('image', server.url('site.example', '/back-dated.jpg'), pageUrl);
  const dated = await readAnswer(third, 'Content Credentials');
  expect([dated.state, dated.text]).toEqual(['Not valid', expect.not.stringContaining('2019')]);
  await Promise.all([panel, other, third].map((one) => one.close()));
});

test('a registry with another identity than the confirmed one is not asked, and not believed until it is confirmed again', async () => {
  // The confirmed fingerprint differs in its last digit.
  const change = `chrome.storage.local.get('registry').then(({ registry }) => {
    const last = registry.fingerprint.endsWith('0') ? '1' : '0';
    return chrome.storage.local.set({ registry: { ...registry, fingerprint: registry.fingerprint.slice(0, -1) + last } });
  })`;
  await extension.worker.evaluate(change);
  const sent = proxy.record();
  const panel = await extension.choose('image', server.url('site.example', '/lake.jpg'), pageUrl);
  await panel.getByRole('alert').getByText('The registry is not the one that you confirmed').waitFor();
  expect((await readAnswer(panel, 'Exact match')).state).toBe('Registry changed');
  await panel.getByRole('button', { name: 'Search for this picture' }).click();
  expect((await readAnswer(panel, 'Look-alikes')).state).toBe('Not checked');
  const bytes = sent();
  expect([bytes.includes('fingerprints'), bytes.includes('lookalikes'), bytes.includes('well-known')]).toEqual([
    false,
    false,
    true,
  ]);
  await expectAccessible(panel);

  const { options } = extension;
  await options.reload();
  await options.getByRole('button', { name: 'Show who it is' }).click();
  await options.getByText('This is not the identity that you confirmed').waitFor();
  const unasked = [proxy.record(), server.requestsFor('/lake.jpg').length] as const;
  await options.getByRole('button', { name: 'Use this registry' }).click();
  await panel.getByText('The registry in the options has changed. Nothing was asked since.').waitFor();
  expect([unasked[0]().length, server.requestsFor('/lake.jpg').length - unasked[1]]).toEqual([0, 0]);
  await panel.getByRole('button', { name: 'Check again' }).click();
  // Before, the registry had changed.
  await expect.poll(async () => (await readAnswer(panel, 'Exact match')).state).toBe('Found');
  await options.getByRole('button', { name: 'Remove this registry' }).click();
  await panel.getByRole('button', { name: 'Check again' }).click();
  await panel.getByText('Choose a registry first').waitFor();
});
