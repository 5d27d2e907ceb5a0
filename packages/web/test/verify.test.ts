// Verifying files on the front page, with a real browser, service, chain and verifier.

import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createClient } from '@provenance-registry/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { randomBytes, randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, openPage } from './support/browser.js';
import { startRecordingProxy } from './support/recordingProxy.js';
import {
  choose,
  chosenFile,
  consistent,
  createFile,
  fact,
  homeHeading,
  newPath,
  registerFile,
  sourceState,
  type TestFile,
  title,
  untilReady,
  verifyIndependently,
} from './support/verifyPage.js';

const markup = '<img src=x onerror=alert(1)>';
const proxy = await startRecordingProxy();
const service = await startService({ BASE_URL: proxy.url });
proxy.forwardTo(service.url);
const ada = await createRegistrant(service.url);
const publicMark = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const privateMark = await ada.client.createMark({ name: 'Hidden Studio', visibility: 'private' });
const anonymous = createClient({ baseUrl: service.url });
const { rpcUrl = '' } = await anonymous.getContract();
const markupMark = await ada.client.createMark({ name: markup });

/** A file of zeros, which takes no space on disk. */
async function createSparseFile(name: string, size: number): Promise<Pick<TestFile, 'path'>> {
  const path = await newPath(name);
  await writeFile(path, '');
  await truncate(path, size);
  return { path };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const [photo, secret, evil] = await Promise.all([
  registerFile(ada, publicMark, 'sunrise.jpg'),
  registerFile(ada, privateMark, 'plan.txt'),
  registerFile(ada, markupMark, `${markup.replaceAll('/', '')}.txt`),
]);

const changeLastDigit = (hex: `0x${string}`): `0x${string}` => `0x${hex.slice(2, -1)}${hex.endsWith('0') ? '1' : '0'}`;
/** Differs from the photo in one byte. */
const changedPhoto = await readFile(photo.path).then((bytes) => {
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return createFile('changed.jpg', bytes);
});

const home = `${proxy.url}/`;
/** Not sent to the service; the other one, of earlier versions, becomes it. */
const privateUrl = ({ fingerprint }: TestFile) => `${home}#fingerprint=${fingerprint}`;
const resultUrl = ({ fingerprint }: TestFile) => `${home}?fingerprint=${fingerprint}`;
const failedRequests = /Failed to load resource|ERR_/;

/** The title for the photo, before it is verified. */
const registered = (page: Page) => title(page, 'Registered under the Mark “Ada’s Photos”, according to this service');

describe('A file of a public Mark', () => {
  test('shows Mark, author, date and preferences, what that proves, and who says so; it is in the address', async () => {
    const page = await openPage(home);
    await choose(page, photo);
    await registered(page).waitFor();
    expect(await fact(page, 'Mark').getByRole('link').getAttribute('href')).toBe(`/marks/${publicMark.id}`);
    expect(await fact(page, 'Registered by').textContent()).toBe('Ada');
    expect(await fact(page, 'Identity').textContent()).toMatch(/^No verified identity · since [^·]+ · \d+ Artifacts?/);
    expect(await fact(page, 'Possession').textContent()).toBe(
      'Only the fingerprint was sent: nothing shows that the registrant had the file.',
    );
    expect(await fact(page, 'Authorship').textContent()).toMatch(/^The registrant did not state/);
    expect(await fact(page, 'Registered').textContent()).toContain(String(new Date().getUTCFullYear()));
    expect(await fact(page, 'License').textContent()).toBe('Creative Commons Attribution 4.0 International');
    expect(await fact(page, 'AI preference').textContent()).toMatch(
      /^Data mining: not allowed.*training: not allowed$/,
    );
    expect(await fact(page, 'Status').textContent()).toContain('On chain');
    expect(await chosenFile(page).textContent()).toContain('sunrise.jpg');
    await page.getByText('You can check this yourself below.').waitFor();
    await page.getByText('does not mean having made it').waitFor();
    await page.getByRole('img', { name: photo.fingerprint.slice(0, 10) }).waitFor();
    // All that it can be verified with is what the service says.
    await verifyIndependently(page);
    await page.getByText(`${consistent} To check independently, name a node or compare`).first().waitFor();
    for (const source of ['Service', 'Chain', 'Signed manifest']) {
      expect(await sourceState(page, source)).toBe('Agrees');
    }
    await page.getByText('and that it is on chain. All of it comes from this service.').waitFor();
    await page.getByRole('heading', { name: 'What only this service says' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Confirmed independently' }).count()).toBe(0);
    await expectAccessible(page);
    // A reload and the back button restore the result.
    expect(page.url()).toBe(privateUrl(photo));
    await page.reload();
    await registered(page).waitFor();
    expect(await chosenFile(page).textContent()).toContain('sunrise.jpg');
    await page.goBack();
    await homeHeading(page).waitFor();
    await expectAccessible(page);
    await page.goForward();
    await registered(page).waitFor();
  });
});

test('of a file under a private Mark, visitors see only what the Mark allows', async () => {
  const page = await openPage(resultUrl(secret));
  await title(page, 'Registered under a private Mark, according to this service').waitFor();
  expect(await fact(page, 'Status').textContent()).toContain('On chain');
  expect(await fact(page, 'License').count()).toBe(0);
  expect(await page.getByText('Hidden Studio').count()).toBe(0);
  await verifyIndependently(page);
  await page.getByText(consistent).first().waitFor();
  const member = await openPage(resultUrl(secret), { token: ada.token });
  await title(member, 'Registered under the Mark “Hidden Studio”, according to this service').waitFor();
});

test('an unknown file can be registered by its maker, and its name is not sent before', async () => {
  const unknown = await createFile('new song.mp3');
  const page = await openPage(home);
  await choose(page, unknown);
  await title(page, 'No exact match here').waitFor();
  await page.getByText('Fingerprint, and what this proves').click();
  await page.getByText('The file may exist elsewhere').waitFor();
  // No button: most visitors have not made the file that they look up.
  const hint = page.getByText('This service does not know who made this file. If you made it');
  const href = await hint.getByRole('link', { name: 'register it' }).getAttribute('href');
  const { pathname, search, hash } = new URL(href ?? '', home);
  expect([pathname, search]).toEqual(['/dashboard/register', '']);
  expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toMatchObject({
    fingerprint: unknown.fingerprint,
    filename: 'new song.mp3',
  });
});

describe('A fingerprint', () => {
  test('is accepted in capitals, without 0x and when pasted; a wrong one is rejected with the reason, also in the address', async () => {
    const page = await openPage(home);
    const field = page.getByLabel('Or look up a fingerprint');
    const problem = page.getByRole('alert');
    await field.fill('sunrise.jpg');
    await page.getByRole('button', { name: 'Look up' }).click();
    await problem.filter({ hasText: 'It contains “s”.' }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(` ${photo.fingerprint.slice(2).toUpperCase()} `);
    await page.keyboard.press('Enter');
    await registered(page).waitFor();
    expect(page.url()).toBe(privateUrl(photo));
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('Result');
    // A fingerprint that differs in its last digit is that of another file, and a digit too few is a mistake.
    const other = { ...photo, fingerprint: changeLastDigit(photo.fingerprint) };
    await page.goto(resultUrl(other));
    await title(page, 'Not registered here').waitFor();
    expect(page.url()).toBe(privateUrl(other));
    // Neither a reload nor the back button sends it again.
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.headers()['referer'] ?? ''));
    await page.reload();
    await title(page, 'Not registered here').waitFor();
    expect(sent.filter((text) => text.includes(other.fingerprint.slice(2)))).toEqual([]);
    const shortened = photo.fingerprint.slice(0, -1);
    await page.goto(`${home}?fingerprint=${shortened}`);
    await problem.filter({ hasText: 'It has 63 digits, 1 too few' }).waitFor();
    expect(await field.inputValue()).toBe(shortened);
    await expectAccessible(page);

    // Pasted anywhere on the page, as a file can be.
    const paste = (fill: string) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        ${fill};
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      })()`);
    await paste(`clipboardData.setData('text/plain', '${photo.fingerprint}')`);
    await registered(page).waitFor();
    await paste(`clipboardData.items.add(new File(['pasted ${randomUUID()}'], 'pasted.txt'))`);
    await title(page, 'No exact match here').waitFor();
    expect(await chosenFile(page).textContent()).toContain('pasted.txt');
  });
});

test('files can be dropped anywhere on the page, also when storage is blocked', async () => {
  const blocked = "for (const name of ['localStorage', 'sessionStorage']) delete window[name]";
  const page = await openPage(home, { initScript: blocked });
  expect(await page.evaluate('typeof localStorage + typeof sessionStorage')).toBe('undefinedundefined');
  await untilReady(page);
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const name of ['one.txt', 'two.txt']) dataTransfer.items.add(new File([name + '${randomUUID()}'], name));
    for (const type of ['dragover', 'drop']) {
      document.querySelector('footer').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  })()`);
  await page.getByText('2 of 2 checked: 0 registered, 2 not registered here.').waitFor();
});

test('a file never leaves the device: only the first digits of its fingerprint are sent', async () => {
  const secretText = `never sent anywhere ${randomUUID()}`;
  // Random, so that it cannot be compressed.
  const content = Buffer.concat([Buffer.from(secretText), randomBytes(3_456_789 - secretText.length)]);
  const file = await createFile('recognizable name.bin', content);
  const origins = new Set<string>();
  const page = await openPage(home, {
    before: async (opened) => {
      opened.context().on('request', (request) => origins.add(new URL(request.url()).origin));
      opened.on('websocket', () => expect.unreachable());
    },
  });
  const sent = proxy.record();
  await choose(page, file);
  await title(page, 'No exact match here').waitFor();
  await verifyIndependently(page);
  await page.getByText('No source that was read has anything about this file').first().waitFor();
  const bytes = sent();
  const prefix = file.fingerprint.slice(2, 6);
  expect(bytes.includes(`/fingerprints/${prefix} `)).toBe(true);
  await page.getByText('The registry does not learn which file you checked.').waitFor();
  const value = Buffer.from(file.fingerprint.slice(2), 'hex').toString('base64');
  const forms = [file.fingerprint.slice(2, 12), file.fingerprint.slice(6, 16), value.slice(0, 8), value.slice(-12, -2)];
  for (const trace of [...forms, secretText, content.subarray(-64), 'recognizable', String(content.length)]) {
    expect(bytes.includes(trace)).toBe(false);
  }
  expect(bytes.length).toBeLessThan(content.length / 10);
  // The node that the service names would learn it too.
  expect([...origins]).toEqual([proxy.url]);
});

describe('Several files', () => {
  test('have a summary and a row each, which opens to the result', async () => {
    const page = await openPage(home);
    await choose(page, photo, secret, changedPhoto);
    await page.getByText('3 of 3 checked: 2 registered, 1 not registered here.').waitFor();
    await page.getByText('plan.txt').click();
    await page.getByText('Private: name, author, license and preferences are visible to its members only.').waitFor();
    const announced = await page.getByRole('status').allTextContents();
    expect(announced.join()).toContain('All files checked: 2 registered, 1 not registered here.');
    await expectAccessible(page);
    await page.reload();
    await page.getByText('3 of 3 checked: 2 registered, 1 not registered here.').waitFor();
  });

  test('do not affect each other: a file that was removed before it is read fails alone', async () => {
    const oneCore = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 })";
    const page = await openPage(home, { initScript: oneCore });
    const [first, removed] = [await createFile('first.txt'), await createFile('removed.txt')];
    // No file is read before the second one is removed.
    const removal = deferred();
    await page.route('**/assets/hashWorker-*.js', (route) => removal.promise.then(() => route.continue()));
    await choose(page, first, removed, photo);
    await rm(removed.path);
    removal.resolve();
    await page.getByText('3 of 3 checked: 1 registered, 1 not registered here, 1 could not be checked.').waitFor();
    await page.getByText('This file cannot be read').waitFor();
  });

  test('and single files can be stopped: four gigabytes show their progress, and can be replaced by another file', async () => {
    const page = await openPage(home);
    await choose(page, await createSparseFile('huge.bin', 4 * 1024 ** 3));
    await page.getByText(/Computing fingerprint: [1-9]\d* %/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Computing fingerprint').waitFor();
    await page.reload();
    await page.getByText('The page was reloaded before this file was read. Choose it again.').waitFor();
    await choose(page, photo);
    await registered(page).waitFor();
  });
});

test('markup in names is shown as text', async () => {
  const page = await openPage(home, { before: async (opened) => opened.on('dialog', () => expect.unreachable()) });
  await choose(page, evil, photo);
  await page.getByText('2 of 2 checked').waitFor();
  await page.getByText(`Registered under the Mark “${markup}”`).click();
  expect(await fact(page, 'Mark').getByRole('link').textContent()).toBe(markup);
  expect(await chosenFile(page).textContent()).toContain(`${markup}.txt`);
  expect(await page.locator('main img').count()).toBe(0);
});

describe('When something is unavailable', () => {
  test('an unreachable service is shown, and can be tried again', async () => {
    const page = await openPage(home, { expected: failedRequests, hasTestClock: true });
    await untilReady(page);
    await page.route('**/api/**', (route) => route.abort());
    await page.getByLabel('Or look up a fingerprint').fill(photo.fingerprint);
    await page.keyboard.press('Enter');
    await page.getByText('The service is not responding.').waitFor();
    // Skips the pauses between the attempts.
    for (let attempt = 1; attempt < 5; attempt += 1) await page.clock.fastForward(30_000);
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await registered(page).waitFor();
    expect(await page.getByText('The service is not responding.').count()).toBe(0);
  });

  test('an unavailable chain is shown, and the manifest is still checked', async () => {
    const page = await openPage(resultUrl(photo), { expected: failedRequests });
    await page.route(`${rpcUrl}/**`, (route) => route.abort());
    await verifyIndependently(page);
    await page.getByText(consistent).first().waitFor();
    expect(await sourceState(page, 'Chain')).toBe('Unavailable');
    expect(await sourceState(page, 'Signed manifest')).toBe('Agrees');
    await page.unroute(`${rpcUrl}/**`);
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect.poll(() => sourceState(page, 'Chain')).toBe('Agrees');
  });
});
