// The Artifact page: the link that people share. The chain is away, so that its steps can be made one by one.

import type { Page, Request } from 'playwright-core';
import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import {
  browser,
  expectAccessible,
  expectNoJump,
  expectNoSidewaysScroll,
  openPage,
  themes,
  type View,
} from './support/browser.js';

const HOSTILE = `"><img src=x onerror=alert(1)> & 'co'`;
const refused = /Failed to load resource/;
const service = await startRegistry(await unreachableChain());
const { client: ada, token } = await createRegistrant(service.url);
const mark = await ada.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const secretMark = await ada.createMark({ name: 'Clandestine', visibility: 'private' });

const transaction = `0x${'5e'.repeat(32)}`;
const statuses = { pending: 0, submitting: 1, submitted: 2, failed: 3 };

async function move(id: string, status: keyof typeof statuses, reason: string | null = null): Promise<void> {
  const hash = status === 'submitted' ? Buffer.from(transaction.slice(2), 'hex') : null;
  const sql = 'update artifacts set status = $2, error_reason = $3, transaction_hash = $4 where id = $1';
  await query(service.databaseUrl, sql, [id, statuses[status], reason, hash]);
}

async function register(
  { status = 'submitted', ...fields }: { status?: keyof typeof statuses; filename?: string; markId?: string } = {},
  previousFingerprint?: `0x${string}`,
) {
  const fingerprint = newFingerprint();
  const file = { filename: 'sunrise.jpg', markId: mark.id, mediaType: 'image/jpeg', size: 482_133 };
  const { id } = await ada.createArtifact({ ...file, ...fields, fingerprint, previousFingerprint });
  await move(id, status, status === 'failed' ? 'The chain has it under another id.' : null);
  return { id, fingerprint, address: `${service.url}/artifacts/${fingerprint}` };
}

const fact = (page: Page, name: string) =>
  page
    .locator('.facts > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

test('a shared link says whose the file is, since when, and what is allowed', async () => {
  const earlier = await register();
  const { id, fingerprint, address } = await register({}, earlier.fingerprint);
  const page = await openPage(address);
  await heading(page, 'sunrise.jpg').waitFor();
  expect(await page.locator('.headline').textContent()).toMatch(/^Registered under the Mark Ada’s Photos since \d+ /);
  expect(await fact(page, 'Mark').getByRole('link').getAttribute('href')).toBe(`/marks/${mark.id}`);
  expect(await fact(page, 'Registered by').textContent()).toBe('Ada');
  expect(await fact(page, 'Licence').getByRole('link').getAttribute('href')).toMatch(/^https:\/\/creativecommons/);
  expect(await fact(page, 'AI training').textContent()).toBe('May not be used to train AI models.');
  expect(await fact(page, 'On the chain').textContent()).toContain('On chain');
  expect(await fact(page, 'What it is').textContent()).toBe('An image, image/jpeg, 482.1 KB');
  expect(await fact(page, 'Transaction').textContent()).toBe(transaction);
  await page.getByText('need not have made it').waitFor();
  for (const [name, extension] of Object.entries({ Report: 'json', 'Signed manifest': 'c2pa', Card: 'png' })) {
    const href = await page.getByRole('link', { name, exact: true }).getAttribute('href');
    expect(href).toBe(`${service.url}/cdn/${id}.${extension}`);
    expect((await fetch(href ?? '')).status).toBe(200);
  }
  const card = page.getByRole('img', { name: /^The card/ });
  await expect.poll(() => card.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(600);
  await page.getByRole('link', { name: 'Check it yourself' }).click();
  await page.waitForURL(`${service.url}/?fingerprint=${fingerprint}`);
  await page.goBack();
  await fact(page, 'Earlier version').getByRole('link').click();
  await page.waitForURL(earlier.address);
});

test('the page keeps the title that came with its document', async () => {
  const { address } = await register({ filename: HOSTILE });
  const page = await openPage(address, {
    before: (opened) =>
      opened.addInitScript(`addEventListener('DOMContentLoaded', () => { globalThis.firstTitle = document.title })`),
  });
  await heading(page, HOSTILE).waitFor();
  const first = await page.evaluate<string>('firstTitle');
  expect(first).toContain(HOSTILE);
  expect(await page.title()).toBe(first);
});

test('markup in the name of a file is text, here and in the code of the badge', async () => {
  const { fingerprint, address } = await register({ filename: HOSTILE });
  const page = await openPage(address);
  await heading(page, HOSTILE).waitFor();
  await page.getByText('As an image').click();
  await page.getByText('As an element').click();
  for (const code of await page.locator('.code code').allTextContents()) {
    const [shown] = await page.evaluate<[{ alt: string; links: string[]; images: string[] }]>(
      `[new DOMParser().parseFromString(${JSON.stringify(code)}, 'text/html')].map((page) => ({
        alt: page.querySelector('img')?.alt ?? page.querySelector('provenance-badge')?.textContent,
        links: [...page.querySelectorAll('a')].map(({ href }) => href),
        images: [...page.querySelectorAll('img')].map(({ src }) => src),
      }))`,
    );
    expect(shown.alt).toBe(`${HOSTILE}, registered by Ada’s Photos`);
    expect(shown.links).toEqual([address]);
    expect(shown.images.filter((source) => source !== `${service.url}/badge/${fingerprint}.svg`)).toEqual([]);
  }
});

test('the link can be copied, and scanned from the screen', async () => {
  const { address } = await register();
  const page = await openPage(address);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.getByText('Copied').first().waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(address);

  // What the drawn squares say, read back from the picture.
  const drawn = await page
    .getByRole('img', { name: /^QR code/ })
    .locator('path')
    .getAttribute('d');
  const { data } = encode(address, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  expect(drawn).toBe(dark.join(''));
});

/** The page of an Artifact, with the long questions that it asks while it follows a status, from the first on. */
async function openFollowing(address: string, view: View = {}) {
  let asked = { count: () => 0, open: () => 0 };
  const page = await openPage(address, {
    ...view,
    before: async (opened) => {
      asked = questions(opened);
    },
  });
  return { page, asked };
}

function questions(page: Page) {
  const asked: string[] = [];
  let open = 0;
  const isOne = (url: string) => url.includes('wait=');
  page.on('request', (request) => {
    if (!isOne(request.url())) return;
    asked.push(request.url());
    open += 1;
  });
  const close = (request: Request) => {
    if (isOne(request.url())) open -= 1;
  };
  page.on('requestfinished', close);
  page.on('requestfailed', close);
  return { count: () => asked.length, open: () => open };
}

const hide = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );

test('the status moves by itself as the chain does, and then nothing is asked any more', async () => {
  const { id, address } = await register({ status: 'pending' });
  const { page, asked } = await openFollowing(address);
  const status = fact(page, 'On the chain');
  await status.getByText('Waiting', { exact: true }).waitFor();
  await page.getByText('no need to reload').waitFor();
  await move(id, 'submitted');
  await status.getByText('On chain', { exact: true }).waitFor();
  await fact(page, 'Transaction').getByText(transaction).waitFor();
  // Told to those who do not see it.
  await page.getByRole('status').getByText('It is registered on the chain for good').waitFor();
  await expect.poll(asked.open).toBe(0);
  expect(asked.count()).toBeLessThanOrEqual(1);
});

test('the answer on the front page moves with it', async () => {
  const { id, address } = await register({ status: 'pending' });
  const page = await openPage(address.replace('/artifacts/', '/?fingerprint='));
  await fact(page, 'On the chain').getByText('Waiting', { exact: true }).waitFor();
  await move(id, 'submitted');
  await fact(page, 'On the chain').getByText('On chain', { exact: true }).waitFor();
  await page.getByText('and that it stands on the chain').waitFor();
});

test('a file that is being written to the chain right now says so', async () => {
  const { address } = await register({ status: 'submitting' });
  const page = await openPage(address);
  await fact(page, 'On the chain').getByText('Being written', { exact: true }).waitFor();
});

test('a tab that nobody sees asks nothing, and goes on when it is seen again', async () => {
  const { id, address } = await register({ status: 'pending' });
  const { page, asked } = await openFollowing(address);
  await expect.poll(asked.count).toBe(1);
  await hide(page, 'hidden');
  await expect.poll(asked.open).toBe(0);
  await move(id, 'submitted');
  await hide(page, 'visible');
  await fact(page, 'On the chain').getByText('On chain', { exact: true }).waitFor();
});

test('a network that goes away is told, and the status follows when it is back', async () => {
  const { id, address } = await register({ status: 'pending' });
  const { page, asked } = await openFollowing(address, { expected: /ERR_INTERNET_DISCONNECTED/ });
  await expect.poll(asked.count).toBe(1);
  await page.context().setOffline(true);
  // Offline, a browser lets a question that is under way go on: it is asked anew.
  await hide(page, 'hidden');
  await hide(page, 'visible');
  await page.getByText('The service does not answer at the moment.').waitFor();
  await fact(page, 'On the chain').getByText('Waiting', { exact: true }).waitFor();
  await move(id, 'submitted');
  await page.context().setOffline(false);
  await fact(page, 'On the chain').getByText('On chain', { exact: true }).waitFor();
  await page.getByText('The service does not answer at the moment.').waitFor({ state: 'detached' });
});

test('of a private Mark strangers see what the rules leave them, and members everything', async () => {
  const { address } = await register({ markId: secretMark.id, filename: 'portrait.png' });
  const asStranger = await openPage(address);
  await heading(asStranger, 'An image').waitFor();
  const seen = await asStranger.locator('main').textContent();
  expect(seen).toContain('Registered under a private Mark since');
  for (const hidden of ['Clandestine', 'portrait', 'Registered by', 'Licence', 'AI training']) {
    expect(seen).not.toContain(hidden);
  }
  const asMember = await openPage(address, { token });
  await heading(asMember, 'portrait.png').waitFor();
  expect(await fact(asMember, 'Mark').textContent()).toBe('Clandestine');
});

test('a token that is no longer good shows no less than none', async () => {
  const { address } = await register();
  const page = await openPage(address, { token: 'expired', expected: refused });
  await heading(page, 'sunrise.jpg').waitFor();
});

test('a registration that failed says so and why, and has nothing to share', async () => {
  const { address, fingerprint } = await register({ status: 'failed' });
  const page = await openPage(address);
  await page.getByText('This file is not registered').waitFor();
  await page.getByText('The chain has it under another id.').waitFor();
  expect(await page.getByRole('heading', { name: 'Share it' }).count()).toBe(0);
  expect(await page.locator('main').textContent()).not.toContain('Registered under');
  const again = page.getByRole('link', { name: 'Register it again' });
  expect(await again.getAttribute('href')).toContain(fingerprint);
});

test('a fingerprint that nobody registered says so, and offers to register it', async () => {
  const fingerprint = newFingerprint();
  const page = await openPage(`${service.url}/artifacts/${fingerprint}`, { expected: refused });
  await heading(page, 'Not registered here').waitFor();
  const offer = page.getByRole('link', { name: 'Register it under your Mark' });
  expect(await offer.getAttribute('href')).toContain(fingerprint);
  await expectAccessible(page);
});

test('an address that is no fingerprint leads nowhere, and on', async () => {
  const page = await openPage(`${service.url}/artifacts/0x12`, { expected: refused });
  await heading(page, 'There is nothing here').waitFor();
  await page.getByRole('link', { name: 'Verify a file' }).click();
  await page.waitForURL(`${service.url}/`);
});

test('without scripts the page says whose the file is', async () => {
  const { address } = await register();
  const context = await (await browser()).newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address);
  const text = await page.locator('main').textContent();
  await context.close();
  expect(text).toContain('Registered under the Mark \u2068Ada’s Photos\u2069 by \u2068Ada\u2069 since');
  expect(text).toContain('May not be used to train AI models.');
});

const views: View[] = themes.map((theme) => ({ theme, size: theme === 'dark' ? 'phone' : 'desktop' }));

test.each(views)('the page has no fault, fits and does not jump: %j', async (view) => {
  const { address } = await register({ filename: `${'very-long-'.repeat(30)}name.jpg` });
  const page = await openPage(address, view);
  await page.getByRole('heading', { name: 'Share it' }).waitFor();
  await expectNoJump(page);
  await page.getByText('As an image').click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
