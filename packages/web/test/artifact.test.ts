// The page of an Artifact. The chain is unavailable, so that the tests control each status.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { encode } from 'uqr';
import { describe, expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { getBrowser } from '../../../test/support/browser.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { newImage } from '../../../test/support/signedImages.js';
import {
  expectAccessible,
  expectNoLayoutShift,
  expectNoSidewaysScroll,
  openPage,
  type View,
} from './support/browser.js';

const HOSTILE = `"><img src=x onerror=alert(1)> & 'co'`;
const failedRequest = /Failed to load resource/;
const service = await startRegistry({ ...(await unreachableChain()), EXPLORER_URL: 'https://explorer.example/' });
const { client: ada, token } = await createRegistrant(service.url);
const mark = await ada.createMark({ name: 'Ada’s Photos', license: 'CC-BY-4.0', allowAiTraining: false });
const secretMark = await ada.createMark({ name: 'Clandestine', visibility: 'private' });

const transaction = `0x${'5e'.repeat(32)}`;
const statuses = { pending: 0, submitting: 1, submitted: 2, failed: 3 };

async function setStatus(id: string, status: keyof typeof statuses, reason: string | null = null): Promise<void> {
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
  await setStatus(id, status, status === 'failed' ? 'The chain has it under another id.' : null);
  return { id, fingerprint, address: `${service.url}/artifacts/${fingerprint}` };
}

const fingerprintOf = (content: Uint8Array): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;
const changeLastDigit = (hex: `0x${string}`): `0x${string}` => `0x${hex.slice(2, -1)}${hex.endsWith('0') ? '1' : '0'}`;
const fact = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

test('the page shows Mark, author, date and preferences of a file', async () => {
  const earlier = await register();
  const { id, address } = await register({}, earlier.fingerprint);
  const page = await openPage(address);
  await heading(page, 'sunrise.jpg').waitFor();
  expect(await page.locator('article p[data-tone]').textContent()).toMatch(
    /^Registered under the Mark Ada’s Photos since \w+ \d+, \d{4}, according to this service$/,
  );
  // Nothing has been verified.
  expect(await page.locator('[data-tone="good"]').count()).toBe(0);
  expect(await fact(page, 'Mark').getByRole('link').getAttribute('href')).toBe(`/marks/${mark.id}`);
  expect(await fact(page, 'Identity').textContent()).toMatch(/^No verified identity · since [^·]+ · \d+ Artifacts?/);
  expect(await fact(page, 'Possession').textContent()).toMatch(/^Only the fingerprint was sent: nothing shows/);
  expect(await fact(page, 'Authorship').textContent()).toMatch(/^The registrant did not state/);
  expect(await fact(page, 'Registered by').textContent()).toBe('Ada');
  expect(await fact(page, 'License').getByRole('link').getAttribute('href')).toMatch(/^https:\/\/creativecommons/);
  expect(await fact(page, 'AI preference').textContent()).toBe(
    'Data mining: not allowedAI inference: not allowedNon-generative AI training: not allowedGenerative AI training: not allowed',
  );
  expect(await fact(page, 'Status').textContent()).toContain('On chain');
  expect(await fact(page, 'File type').textContent()).toBe('An image, image/jpeg, 482.1 KB');
  expect(await fact(page, 'Transaction').locator('code').textContent()).toBe(transaction);
  const explorer = fact(page, 'Transaction').getByRole('link', { name: 'View on explorer.example (another site)' });
  expect(await explorer.getAttribute('href')).toBe(`https://explorer.example/tx/${transaction}`);
  expect(await fact(page, 'Signed by').textContent()).toMatch(/^Development signer, certified by /);
  await page.getByText('does not mean having made it').waitFor();
  for (const [name, extension] of Object.entries({ Report: 'json', 'Signed manifest': 'c2pa', Card: 'png' })) {
    const href = await page.getByRole('link', { name, exact: true }).getAttribute('href');
    expect(href).toBe(`${service.url}/cdn/${id}.${extension}`);
    expect((await fetch(href ?? '')).status).toBe(200);
  }
  const card = page.getByRole('img', { name: /^Card with/ });
  await expect.poll(() => card.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(600);
  await fact(page, 'Previous version').getByRole('link').click();
  await page.waitForURL(earlier.address);
});

test('markup in a file name is text, in the title from the start, on the page and in the badge code', async () => {
  const { fingerprint, address } = await register({ filename: HOSTILE });
  const page = await openPage(address, {
    initScript: `addEventListener('DOMContentLoaded', () => { globalThis.firstTitle = document.title })`,
  });
  await heading(page, HOSTILE).waitFor();
  const first = await page.evaluate<string>('firstTitle');
  expect(first).toContain(HOSTILE);
  expect(await page.title()).toBe(first);
  await page.getByText('As an image').click();
  await page.getByText('As an element').click();
  for (const code of await page.locator('details pre code').allTextContents()) {
    const [shown] = await page.evaluate<[{ alt: string; links: string[]; images: string[] }]>(
      `[new DOMParser().parseFromString(${JSON.stringify(code)}, 'text/html')].map((page) => ({
        alt: page.querySelector('img')?.alt ?? page.querySelector('provenance-badge')?.textContent,
        links: [...page.querySelectorAll('a')].map(({ href }) => href),
        images: [...page.querySelectorAll('img')].map(({ src }) => src),
      }))`,
    );
    expect(shown.alt).toBe(`${HOSTILE}, registered by Ada’s Photos (no verified identity)`);
    expect(shown.links).toEqual([address]);
    expect(shown.images.filter((source) => source !== `${service.url}/badge/${fingerprint}.svg`)).toEqual([]);
  }
});

test('the link and every identifier can be copied, and the link scanned as a QR code', async () => {
  const { id, fingerprint, address } = await register();
  const page = await openPage(address);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { contract } = await ada.getRegistryIdentity();
  const copies = { link: address, fingerprint, transaction, 'contract address': contract, 'manifest id': id };
  for (const [what, text] of Object.entries(copies)) {
    await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(text);
  }

  // The modules of the QR code.
  const drawn = await page
    .getByRole('img', { name: /^QR code/ })
    .locator('path')
    .getAttribute('d');
  const { data } = encode(address, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  expect(drawn).toBe(dark.join(''));
});

/** Opens the page and counts its long-polling requests from the first on. */
async function openPolling(address: string, view: View = {}) {
  let polls = { count: () => 0, open: () => 0 };
  const page = await openPage(address, {
    ...view,
    before: async (opened) => {
      polls = countPolls(opened);
    },
  });
  return { page, polls };
}

function countPolls(page: Page) {
  let count = 0;
  let open = 0;
  const isPoll = (request: Request) => request.url().includes('wait=');
  page.on('request', (request) => {
    if (!isPoll(request)) return;
    count += 1;
    open += 1;
  });
  const close = (request: Request) => {
    if (isPoll(request)) open -= 1;
  };
  page.on('requestfinished', close);
  page.on('requestfailed', close);
  return { count: () => count, open: () => open };
}

const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );

test('the status updates automatically, and polling ends when it is final', async () => {
  const { id, address } = await register({ status: 'pending' });
  const { page, polls } = await openPolling(address);
  const status = fact(page, 'Status');
  await status.getByText('Pending', { exact: true }).waitFor();
  await page.getByText('This page updates automatically.').waitFor();
  await setStatus(id, 'submitted');
  await status.getByText('On chain', { exact: true }).waitFor();
  await fact(page, 'Transaction').getByText(transaction).waitFor();
  // Announced to screen readers.
  await page.getByRole('status').getByText('Permanently registered on chain.').waitFor();
  await expect.poll(polls.open).toBe(0);
  expect(polls.count()).toBeLessThanOrEqual(1);
});

test('the result on the front page updates too', async () => {
  const { id, address } = await register({ status: 'pending' });
  const page = await openPage(address.replace('/artifacts/', '/#fingerprint='));
  await fact(page, 'Status').getByText('Pending', { exact: true }).waitFor();
  await setStatus(id, 'submitted');
  await fact(page, 'Status').getByText('On chain', { exact: true }).waitFor();
  await page.getByText('and that it is on chain').waitFor();
});

test('a hidden tab does not poll, and continues when it is visible again', async () => {
  const { id, address } = await register({ status: 'submitting' });
  const { page, polls } = await openPolling(address);
  await fact(page, 'Status').getByText('Submitting', { exact: true }).waitFor();
  await expect.poll(polls.count).toBe(1);
  await setVisibility(page, 'hidden');
  await expect.poll(polls.open).toBe(0);
  await setStatus(id, 'submitted');
  await setVisibility(page, 'visible');
  await fact(page, 'Status').getByText('On chain', { exact: true }).waitFor();
});

test('an interrupted network is shown, and the status updates when it is back', async () => {
  const { id, address } = await register({ status: 'pending' });
  const { page, polls } = await openPolling(address, { expected: /ERR_INTERNET_DISCONNECTED/ });
  await expect.poll(polls.count).toBe(1);
  await page.context().setOffline(true);
  // Browsers do not interrupt open requests when they go offline: start another one.
  await setVisibility(page, 'hidden');
  await setVisibility(page, 'visible');
  await page.getByText('The service is not responding.').waitFor();
  await fact(page, 'Status').getByText('Pending', { exact: true }).waitFor();
  await setStatus(id, 'submitted');
  await page.context().setOffline(false);
  await fact(page, 'Status').getByText('On chain', { exact: true }).waitFor();
  await page.getByText('The service is not responding.').waitFor({ state: 'detached' });
});

test('visitors see a redacted Artifact of a private Mark, and members all of it', async () => {
  const { address } = await register({ markId: secretMark.id, filename: 'portrait.png' });
  const asVisitor = await openPage(address);
  await heading(asVisitor, 'An image').waitFor();
  const text = await asVisitor.locator('main').textContent();
  expect(text).toContain('Registered under a private Mark since');
  for (const hidden of ['Clandestine', 'portrait', 'Registered by', 'License', 'AI preference']) {
    expect(text).not.toContain(hidden);
  }
  const asMember = await openPage(address, { token });
  await heading(asMember, 'portrait.png').waitFor();
  expect(await fact(asMember, 'Mark').getByRole('link').textContent()).toBe('Clandestine');
});

describe('Signed copies', () => {
  async function registerSigned() {
    const buffer = await newImage('image/png');
    const file = new File([buffer], 'noon.png', { type: 'image/png' });
    const { image } = await ada.signImage({ markId: mark.id, file, digitalSourceType: 'trainedAlgorithmicMedia' });
    return { buffer, fingerprint: fingerprintOf(buffer), copy: fingerprintOf(image ?? new Uint8Array()) };
  }
  const section = (page: Page) => page.getByRole('region', { name: 'Signed copies' });

  test('are listed with their status, which updates; their own addresses lead to the original', async () => {
    const { fingerprint, copy } = await registerSigned();
    const page = await openPage(`${service.url}/artifacts/${copy}`);
    await page.getByText('This is a signed copy of noon.png').waitFor();
    await section(page).getByText('(this copy)').waitFor();
    await section(page).getByText('Pending').waitFor();
    expect(await fact(page, 'How it was made').textContent()).toBe(
      'Made with generative AI, as stated by the registrant',
    );
    await expectAccessible(page);
    const [original, rendition, hash] = [fingerprint, copy, transaction].map((text) =>
      Buffer.from(text.slice(2), 'hex'),
    );
    const sql = 'update artifacts set status = 2, transaction_hash = $3 where fingerprint in ($1, $2)';
    await query(service.databaseUrl, sql, [original, rendition, hash]);
    await section(page).getByText('On chain').waitFor();
    expect(await section(page).getByLabel('Choose the original file').count()).toBe(0);
    await page.getByRole('link', { name: 'noon.png' }).click();
    await page.waitForURL(`${service.url}/artifacts/${fingerprint}`);
    await page.getByText('This is a signed copy').waitFor({ state: 'detached' });
    // The front page says the same.
    await page.goto(`${service.url}/#fingerprint=${copy}`);
    const label = 'Signed copy of a file registered under the Mark “Ada’s Photos”, according to this service';
    await page.getByRole('heading', { name: label, exact: true }).waitFor();
    expect(await fact(page, 'Signed copy of').getByRole('link').getAttribute('href')).toBe(
      `/#fingerprint=${fingerprint}`,
    );
    await page.getByText('that it made exactly this file as a signed copy').waitFor();
  });

  test('are made by users with write access, of the original file alone, at most three', async () => {
    const { fingerprint, buffer } = await registerSigned();
    const page = await openPage(`${service.url}/artifacts/${fingerprint}`, { token });
    const uploads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/signed-copy')) uploads.push(request.url());
    });
    const input = section(page).getByLabel('Choose the original file');
    const choose = (content: Buffer) =>
      input.setInputFiles({ name: 'noon.png', mimeType: 'image/png', buffer: content });
    // One bit differs.
    const changed = Buffer.from(buffer);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    await choose(changed);
    await page.getByText('This is not the registered file: its content differs. It was not sent.').waitFor();
    expect(uploads).toEqual([]);
    for (const left of ['2 of 3 left', '1 of 3 left']) {
      await section(page).getByText(left).waitFor();
      const download = page.waitForEvent('download');
      await choose(buffer);
      const path = await (await download).path();
      const { renditions } = await ada.getArtifact({ fingerprint: fingerprintOf(await readFile(path)) });
      expect(renditions.map((rendition) => rendition.fingerprint)).toContain(fingerprintOf(await readFile(path)));
    }
    await page.getByText('This file has 3 signed copies, which is the most that a file can have.').waitFor();
    await page.getByText('Signed copy downloaded').waitFor();
    await expectAccessible(page);
    expect(uploads.length).toBe(2);
  });
});

test('an expired session shows as much as no session', async () => {
  const { address } = await register();
  const page = await openPage(address, { token: 'expired', expected: failedRequest });
  await heading(page, 'sunrise.jpg').waitFor();
});

test('a failed registration is shown with its reason, and cannot be shared', async () => {
  const { address, fingerprint } = await register({ status: 'failed' });
  const page = await openPage(address);
  await page.getByText('This file is not registered').waitFor();
  await page.getByText('The chain has it under another id.').waitFor();
  expect(await page.getByRole('heading', { name: 'Share' }).count()).toBe(0);
  expect(await page.locator('main').textContent()).not.toContain('Registered under');
  const again = page.getByRole('link', { name: 'register it again' });
  expect(await again.getAttribute('href')).toContain(fingerprint);
});

test('an unregistered fingerprint can be registered by its maker, and no button asks others to', async () => {
  // Its last digit is not that of a registered one.
  const fingerprint = changeLastDigit((await register()).fingerprint);
  const page = await openPage(`${service.url}/artifacts/${fingerprint}`, { expected: failedRequest });
  await heading(page, 'Not registered here').waitFor();
  const offer = page.getByText('If you made it, or may speak for its maker, you can register it.').getByRole('link');
  expect(await offer.getAttribute('href')).toContain(fingerprint);
  expect(await page.locator('main [class~="Button-primary"]').allTextContents()).toEqual(['Check the chain']);
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await page
    .getByRole('region', { name: 'Independent check' })
    .getByText('No source that was read has anything about this file')
    .waitFor();
  await expectAccessible(page);
});

test('an address without a valid fingerprint is not found', async () => {
  const { address } = await register();
  const page = await openPage(address.slice(0, -1), { expected: failedRequest });
  await heading(page, 'Page not found').waitFor();
  await page.getByRole('link', { name: 'Verify a file' }).click();
  await page.waitForURL(`${service.url}/`);
});

test('tall names stay in their boxes, and hidden characters in names are shown', async () => {
  const tall = `Z${'\u0301\u0323'.repeat(40)}algo`;
  const { id, address } = await register({ filename: `${tall}.jpg` });
  const page = await openPage(address);
  const name = heading(page, `${tall}.jpg`).locator('bdi');
  const box = await name.boundingBox();
  expect(box?.height).toBeLessThan(60);
  expect(await page.evaluate(`getComputedStyle(document.querySelector('h1 bdi')).overflowY`)).toBe('clip');
  // Stored before such names were refused.
  await query(
    service.databaseUrl,
    `update artifacts set metadata = jsonb_set(metadata, '{filename}', to_jsonb($2::text)) where id = $1`,
    [id, 'photo\u202egpj.exe'],
  );
  await page.reload();
  await heading(page, 'photo\\u202egpj.exe').waitFor();
  expect(await page.title()).toContain('photo\\u202egpj.exe');
});

test('without scripts the page still shows who registered the file', async () => {
  const { address } = await register();
  const context = await (await getBrowser()).newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address);
  const text = await page.locator('main').textContent();
  await context.close();
  expect(text).toContain('Registered under the Mark \u2068Ada’s Photos\u2069 by \u2068Ada\u2069 since');
  expect(text).toContain('AI preferences: not allowed for data mining, AI inference,');
});

test('the page is accessible and does not shift', async () => {
  const { address } = await register({ filename: `${'very-long-'.repeat(30)}name.jpg` });
  const page = await openPage(address, { isFirstVisit: true });
  await page.getByRole('heading', { name: 'Share' }).waitFor();
  await expectNoLayoutShift(page);
  await page.getByText('As an image').click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
