// The front page: whose is this file? In a real browser, with the real service, chain and verifier behind it.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, waitForStatus } from '@provenance-registry/client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';
import { layWire } from './support/wire.js';

const markup = '<img src=x onerror=alert(1)>';
const wire = await layWire();
const service = await startService({ BASE_URL: wire.url });
wire.leadTo(service.url);
const folder = await temporaryFolder();
const ada = await createRegistrant(service.url);
const ofAda = await ada.client.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const hidden = await ada.client.createMark({ name: 'Hidden Studio', visibility: 'private' });
const stranger = createClient({ baseUrl: service.url });
const nasty = await ada.client.createMark({ name: markup });

interface Made {
  readonly path: string;
  readonly fingerprint: `0x${string}`;
}

async function file(name: string, content: string | Uint8Array = `${name} ${randomUUID()}`): Promise<Made> {
  const path = join(folder, name);
  await writeFile(path, content);
  return { path, fingerprint: `0x${createHash('sha256').update(content).digest('hex')}` };
}

/** Of zeros, which take no room on the disk. */
async function sparse(name: string, size: number): Promise<Pick<Made, 'path'>> {
  const path = join(folder, name);
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

async function registered(name: string, { id: markId }: { id: string }): Promise<Made> {
  const made = await file(name);
  await ada.client.createArtifact({ markId, fingerprint: made.fingerprint, filename: name });
  await waitForStatus(ada.client, made.fingerprint);
  return made;
}

const [photo, secret, evil] = await Promise.all([
  registered('sunrise.jpg', ofAda),
  registered('plan.txt', hidden),
  registered(`${markup.replaceAll('/', '')}.txt`, nasty),
]);

const home = `${wire.url}/`;
const at = ({ fingerprint }: Made) => `${home}?fingerprint=${fingerprint}`;
const refusedRequests = /Failed to load resource|ERR_/;

const choose = (page: Page, ...files: readonly Pick<Made, 'path'>[]) =>
  page.getByLabel('Choose files').setInputFiles(files.map(({ path }) => path));
/** From then on it takes what is dropped or pasted. */
const untilReady = (page: Page) => page.getByText('Drop files here').waitFor();
const title = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });
const fact = (page: Page, name: string) =>
  page
    .locator('.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
const check = (page: Page) => page.getByRole('button', { name: 'Check it yourself' }).click();
/** The verdict of a source, as its badge says. */
const said = (page: Page, source: string) =>
  page
    .locator('.source')
    .filter({ has: page.getByRole('heading', { name: source }) })
    .locator('.badge')
    .textContent();

describe('A file of a public Mark', () => {
  test('is answered in plain words: whose, since when, what is allowed, and what that shows', async () => {
    const page = await openPage(home);
    await choose(page, photo);
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
    expect(await fact(page, 'Mark').getByRole('link').getAttribute('href')).toBe(`/marks/${ofAda.id}`);
    expect(await fact(page, 'Registered by').textContent()).toBe('Ada');
    expect(await fact(page, 'Since').textContent()).toContain(String(new Date().getUTCFullYear()));
    expect(await fact(page, 'Licence').textContent()).toBe('Creative Commons Attribution 4.0 International');
    expect(await fact(page, 'AI training').textContent()).toBe('May not be used to train AI models.');
    expect(await fact(page, 'On the chain').textContent()).toContain('On chain');
    expect(await fact(page, 'Your file').textContent()).toContain('sunrise.jpg');
    await page.getByText('You need not believe it: check it below.').waitFor();
    await page.getByText('need not have made it').waitFor();
    await page.getByRole('img', { name: photo.fingerprint.slice(0, 10) }).waitFor();
  });

  test('is confirmed by the service, the chain and the manifest, each for itself, when somebody asks', async () => {
    const page = await openPage(at(photo));
    await check(page);
    await page.getByText('Verified: what could be asked agrees').first().waitFor();
    for (const source of ['The service', 'The chain', 'The signed manifest']) {
      expect(await said(page, source)).toBe('Confirms it');
    }
    expect(await fact(page, 'Proven since').textContent()).toContain('by the time of the block');
    await page.getByText('the chain and the signed manifest confirm it').waitFor();
  });

  test('is remembered by the address: a reload and the back button lead to it', async () => {
    const page = await openPage(home);
    await choose(page, photo);
    const answer = title(page, 'Registered under the Mark “Ada’s Photos”');
    await answer.waitFor();
    expect(page.url()).toBe(at(photo));
    await page.reload();
    await answer.waitFor();
    expect(await fact(page, 'Your file').textContent()).toContain('sunrise.jpg');
    await page.goBack();
    await title(page, 'Computed here').waitFor();
    await page.goForward();
    await answer.waitFor();
  });
});

test('of a file of a private Mark no more is told than its members allow', async () => {
  const page = await openPage(at(secret));
  await title(page, 'Registered under a private Mark').waitFor();
  expect(await fact(page, 'On the chain').textContent()).toContain('On chain');
  expect(await fact(page, 'Licence').count()).toBe(0);
  expect(await page.getByText('Hidden Studio').count()).toBe(0);
  await check(page);
  await page.getByText('Verified: what could be asked agrees').first().waitFor();
  const member = await openPage(at(secret), { token: ada.token });
  await title(member, 'Registered under the Mark “Hidden Studio”').waitFor();
});

test('an unknown file is said to be unknown, and can be registered without its name being sent anywhere', async () => {
  const unknown = await file('new song.mp3');
  const page = await openPage(home);
  await choose(page, unknown);
  await title(page, 'Not registered here').waitFor();
  await page.getByText('It is no proof that nobody made it before').waitFor();
  const href = await page.getByRole('link', { name: 'Register it under your Mark' }).getAttribute('href');
  const { pathname, search, hash } = new URL(href ?? '', home);
  expect([pathname, search]).toEqual(['/dashboard/register', '']);
  expect(Object.fromEntries(new URLSearchParams(hash.slice(1)))).toMatchObject({
    fingerprint: unknown.fingerprint,
    filename: 'new song.mp3',
  });
});

describe('A fingerprint', () => {
  test('is taken in capitals and without 0x, and found', async () => {
    const page = await openPage(home);
    await page.getByLabel('Or look up a fingerprint').fill(` ${photo.fingerprint.slice(2).toUpperCase()} `);
    await page.keyboard.press('Enter');
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
    expect(page.url()).toBe(at(photo));
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('Answer');
  });

  test('that is none is refused with the reason, in the field and in the address', async () => {
    const page = await openPage(home);
    const field = page.getByLabel('Or look up a fingerprint');
    const refusal = page.getByRole('alert');
    await field.fill('sunrise.jpg');
    await page.getByRole('button', { name: 'Look up' }).click();
    await refusal.filter({ hasText: 'There is “s” in it.' }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.goto(`${home}?fingerprint=0x1234`);
    await refusal.filter({ hasText: 'It has 4 digits, 60 too few' }).waitFor();
    expect(await field.inputValue()).toBe('0x1234');
  });

  test('is found when it is pasted anywhere on the page, and so is a file', async () => {
    const page = await openPage(home);
    await untilReady(page);
    const paste = (fill: string) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        ${fill};
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      })()`);
    await paste(`clipboardData.setData('text/plain', '${photo.fingerprint}')`);
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
    await paste(`clipboardData.items.add(new File(['pasted ${randomUUID()}'], 'pasted.txt'))`);
    await title(page, 'Not registered here').waitFor();
    expect(await fact(page, 'Your file').textContent()).toContain('pasted.txt');
  });
});

test('files that are dropped anywhere on the page are verified, also where storage is blocked', async () => {
  const blocked = "for (const name of ['localStorage', 'sessionStorage']) delete window[name]";
  const page = await openPage(home, { before: (opened) => opened.addInitScript(blocked) });
  expect(await page.evaluate('typeof localStorage + typeof sessionStorage')).toBe('undefinedundefined');
  await untilReady(page);
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const name of ['one.txt', 'two.txt']) dataTransfer.items.add(new File([name + '${randomUUID()}'], name));
    for (const type of ['dragover', 'drop']) {
      document.querySelector('footer').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  })()`);
  await page.getByText('2 of 2 done: 0 registered, 2 not registered here.').waitFor();
});

test('a file never leaves the machine: of all that travels, nothing but its fingerprint is about it', async () => {
  const secretWords = `never to be seen elsewhere ${randomUUID()}`;
  // At random, so that no compression could make it small.
  const content = Buffer.concat([Buffer.from(secretWords), randomBytes(3_456_789 - secretWords.length)]);
  const made = await file('recognisable name.bin', content);
  const origins = new Set<string>();
  const page = await openPage(home, {
    before: async (opened) => {
      opened.context().on('request', (request) => origins.add(new URL(request.url()).origin));
      opened.on('websocket', () => expect.unreachable());
    },
  });
  const { rpcUrl = '' } = await stranger.getContract();
  const sent = wire.listen();
  await choose(page, made);
  await title(page, 'Not registered here').waitFor();
  await check(page);
  await page.getByText('Unknown: nobody who could be asked').first().waitFor();
  const travelled = sent();
  const value = Buffer.from(made.fingerprint.slice(2), 'hex').toString('base64');
  expect(travelled.includes(encodeURIComponent(value))).toBe(true);
  for (const trace of [secretWords, content.subarray(-64), 'recognisable', String(content.length)]) {
    expect(travelled.includes(trace)).toBe(false);
  }
  expect(travelled.length).toBeLessThan(content.length / 10);
  // The chain is asked past the service; nobody else is asked anything.
  expect([...origins].sort()).toEqual([wire.url, new URL(rpcUrl).origin].sort());
});

describe('Several files', () => {
  test('have a summary and a row each, which opens to the answer', async () => {
    const page = await openPage(home);
    await choose(page, photo, secret, await file('new.txt'));
    await page.getByText('3 of 3 done: 2 registered, 1 not registered here.').waitFor();
    await page.getByText('plan.txt').click();
    await page.getByText('Private: its members have chosen not to show').waitFor();
    const announced = await page.getByRole('status').allTextContents();
    expect(announced.join()).toContain('All files are done: 2 registered, 1 not registered here.');
    await expectAccessible(page);
    await page.reload();
    await page.getByText('3 of 3 done: 2 registered, 1 not registered here.').waitFor();
  });

  test('may be five hundred, of which few are worked on at once', async () => {
    const counted = `
      window.busy = { now: 0, most: 0, workers: 0 };
      const { fetch: fetched, Worker: Hired } = window;
      window.fetch = async (...request) => {
        busy.now += 1;
        busy.most = Math.max(busy.most, busy.now);
        try { return await fetched(...request); } finally { busy.now -= 1; }
      };
      window.Worker = class extends Hired { constructor(...args) { super(...args); busy.workers += 1; } };`;
    const page = await openPage(home, { before: (opened) => opened.addInitScript(counted) });
    await untilReady(page);
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      for (let i = 0; i < 500; i += 1) dataTransfer.items.add(new File(['${randomUUID()}' + i], i + '.txt'));
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    // Not by its text alone: to look for that through all rows in every frame would be most of the work.
    await page.locator('.summary', { hasText: '500 of 500 done: 0 registered, 500 not registered here.' }).waitFor();
    expect(await page.getByText('Not registered here', { exact: true }).count()).toBe(500);
    const { most, workers } = await page.evaluate<{ most: number; workers: number }>('busy');
    expect(most).toBeLessThanOrEqual(8);
    expect(workers).toBeLessThanOrEqual(4);
  });

  test('do not keep each other from being answered: one that is gone when its turn comes is told', async () => {
    const oneCore = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 })";
    const page = await openPage(home, { before: (opened) => opened.addInitScript(oneCore) });
    const [first, gone] = [await file('first.txt'), await file('gone.txt')];
    // Nothing is read before the second one is gone.
    const removed = deferred();
    await page.route('**/assets/hashWorker-*.js', (route) => removed.promise.then(() => route.continue()));
    await choose(page, first, gone, photo);
    await rm(gone.path);
    removed.resolve();
    await page.getByText('3 of 3 done: 1 registered, 1 not registered here, 1 not found out.').waitFor();
    await page.getByText('It cannot be read').waitFor();
  });

  test('and single ones can be stopped: four gigabytes show how far they are, and give way to another file', async () => {
    const page = await openPage(home);
    await choose(page, await sparse('huge.bin', 4 * 1024 ** 3));
    await page.getByText(/Computing the fingerprint: [1-9]\d* %/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Computing the fingerprint').waitFor();
    await page.reload();
    await page.getByText('It was not read yet when the page was reloaded. Choose it again.').waitFor();
    await choose(page, photo);
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
  });
});

test('names with markup in them are shown as they are, and nothing of them runs', async () => {
  const page = await openPage(home, { before: async (opened) => opened.on('dialog', () => expect.unreachable()) });
  await choose(page, evil, photo);
  await page.getByText('2 of 2 done').waitFor();
  await page.getByText(`Registered under the Mark “${markup}”`).click();
  expect(await fact(page, 'Mark').textContent()).toBe(markup);
  expect(await fact(page, 'Your file').textContent()).toContain(`${markup}.txt`);
  expect(await page.locator('main img').count()).toBe(0);
});

describe('When something is away', () => {
  test('a service that does not answer is told, and asked again by a button', async () => {
    const page = await openPage(home, { expected: refusedRequests, before: (opened) => opened.clock.install() });
    await untilReady(page);
    await page.route('**/api/**', (route) => route.abort());
    await page.getByLabel('Or look up a fingerprint').fill(photo.fingerprint);
    await page.keyboard.press('Enter');
    await page.getByText('The service does not answer at the moment.').waitFor();
    // All the pauses between the attempts.
    for (let attempt = 1; attempt < 5; attempt += 1) await page.clock.fastForward(30_000);
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached.' }).waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await title(page, 'Registered under the Mark “Ada’s Photos”').waitFor();
    expect(await page.getByText('The service does not answer at the moment.').count()).toBe(0);
  });

  test('a chain that does not answer is told, and what the manifest confirms is confirmed', async () => {
    const { rpcUrl = '' } = await stranger.getContract();
    const page = await openPage(at(photo), { expected: refusedRequests });
    await page.route(`${rpcUrl}/**`, (route) => route.abort());
    await check(page);
    await page.getByText('Verified: what could be asked agrees').first().waitFor();
    expect(await said(page, 'The chain')).toBe('Could not be asked');
    await page.getByText('Your browser has asked, and the signed manifest confirms it.').waitFor();
    await page.unroute(`${rpcUrl}/**`);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('the chain and the signed manifest confirm it').waitFor();
  });
});

describe('A service that lies', () => {
  test('by knowing nothing of a registered file is contradicted, loudly', async () => {
    const page = await openPage(at(photo), {
      before: (opened) => opened.route('**/matches/byBinding*', (route) => route.fulfill({ json: { matches: [] } })),
    });
    await title(page, 'Not registered here').waitFor();
    await check(page);
    await title(page, 'Contradicted').waitFor();
    await page.getByRole('alert').filter({ hasText: 'Do not rely on what is said here' }).waitFor();
    await page.getByText('The service says that it knows nothing about this file, and the chain has').waitFor();
    expect(await said(page, 'The chain')).toBe('Confirms it');
    expect(await page.getByRole('link', { name: 'Register it under your Mark' }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('about the Mark, to people without an account, is contradicted by the chain and by the signature', async () => {
    const lie = async (opened: Page) =>
      opened.route('**/api/v1/public/artifacts/*', async (route) => {
        const response = await route.fetch();
        const honest = await response.json();
        const mark = { ...honest.metadata.mark, name: 'Mallory’s Photos' };
        await route.fulfill({ response, json: { ...honest, metadata: { ...honest.metadata, mark } } });
      });
    const page = await openPage(at(photo), { before: lie });
    await title(page, 'Registered under the Mark “Mallory’s Photos”').waitFor();
    await check(page);
    await title(page, 'Contradicted').waitFor();
    await page.getByText('is not the one whose hash is on chain').waitFor();
    await page.getByRole('heading', { name: 'What this service says, which cannot all be so' }).waitFor();
  });
});

test.each(themes)('in %s, on a phone, question and answers have no fault and fit', async (theme) => {
  const page = await openPage(home, { theme, size: 'phone' });
  const looksRight = async (heading: string) => {
    await title(page, heading).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  };
  await looksRight('Computed here');
  await page.goto(`${home}?fingerprint=0x${'ab'.repeat(32)}`);
  await looksRight('Not registered here');
  await page.goto(at(evil));
  await check(page);
  await page.getByText('Verified: what could be asked agrees').first().waitFor();
  await looksRight(`Registered under the Mark “${markup}”`);
});
