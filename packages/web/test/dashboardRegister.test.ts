// Registering many files from the dashboard, in a real browser, with the real service behind it.

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { waitForDayBoundary } from '../../../test/support/dayBoundary.js';
import { createRegistrant, type Registrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes, type View } from './support/browser.js';

const service = await startService();
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);

/** What browsers write on their console when a request is refused or lost. */
const LOST = /Failed to load resource/;
/** For 500 signatures and their way to the chain, on a busy machine. */
const LONG_MS = 300_000;
/** Of the page, between two looks at what is on its way to the chain. */
const ROUND_MS = 3_000;
const MARKUP = '<img src=x onerror=alert(1)> & "quotes"';

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

function newFiles(number: number, nameOf = (at: number) => `file ${at}.txt`): ChosenFile[] {
  const content = randomUUID();
  return Array.from({ length: number }, (_, at) => ({
    name: nameOf(at),
    mimeType: 'text/plain',
    buffer: Buffer.from(`${content} ${at}`),
  }));
}

function fingerprintOf({ buffer }: ChosenFile): `0x${string}` {
  return `0x${createHash('sha256').update(buffer).digest('hex')}`;
}

function open(who: Pick<Registrant, 'token'>, view: View = {}): Promise<Page> {
  return openPage(`${service.url}/dashboard/register`, { token: who.token, ...view });
}

const choose = (page: Page, files: ChosenFile[]) => page.getByLabel('Choose files').setInputFiles(files);
/** Not looked for in the whole page: with 500 rows in it, each with its own buttons, that takes seconds. */
const press = (page: Page, name: string | RegExp) => page.locator('.controls').getByRole('button', { name }).click();
const begin = (page: Page) => press(page, /^Register \d+ files?$/);
const sum = (page: Page) => page.locator('.controls-sum');
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

async function untilSum(page: Page, text: string | RegExp, how: { timeout?: number } = {}): Promise<void> {
  try {
    await sum(page).filter({ hasText: text }).waitFor(how);
  } catch (error) {
    const shown = await page.locator('main').textContent();
    throw new Error(`It never said ${text}, but:\n${shown?.slice(0, 2_000)}`, { cause: error });
  }
}

/** Answers requests that create Artifacts as the test likes. */
function onCreation(page: Page, answer: (route: Route, number: number) => Promise<unknown>): Promise<unknown> {
  let number = 0;
  return page.route('**/api/v1/artifacts', (route) => {
    number += 1;
    return answer(route, number);
  });
}

test('files are hashed here and registered; they themselves are never sent, and their names are text', async () => {
  const files = newFiles(3, (at) => `${at} ${MARKUP}.txt`);
  const sent: string[] = [];
  const page = await open(ada);
  page.on('request', (request) => sent.push(request.postDataBuffer()?.toString('utf8') ?? ''));
  await choose(page, files);
  await begin(page);
  await untilSum(page, '3 files: 3 registered, 3 on chain');
  for (const file of files) {
    await rowOf(page, file.name).getByText('On chain').waitFor();
    const { metadata, mark } = await ada.client.getArtifact({ fingerprint: fingerprintOf(file) });
    expect([metadata.filename, metadata.size, mark.id]).toEqual([file.name, file.buffer.length, ada.markId]);
    expect(sent.filter((body) => body.includes(file.buffer.toString()))).toEqual([]);
  }
  expect(sent.filter((body) => body.includes('fingerprint')).length).toBe(3);
});

test('a file that is registered already is said to be one’s own, or another’s', async () => {
  const [own, another] = newFiles(2);
  if (!own || !another) throw new Error('There are two.');
  const markId = (await bea.client.createMark({ name: MARKUP })).id;
  await ada.client.createArtifact({ markId: ada.markId, fingerprint: fingerprintOf(own), filename: 'before' });
  await bea.client.createArtifact({ markId, fingerprint: fingerprintOf(another), filename: 'before' });
  const page = await open(ada, { expected: LOST });
  await choose(page, [own, another]);
  await begin(page);
  await rowOf(page, own.name).getByText('Already yours').waitFor();
  await rowOf(page, another.name).getByText('Registered by another').waitFor();
  await rowOf(page, another.name).getByText(MARKUP).waitFor();
});

test('a folder is walked through, without what systems leave in it', async () => {
  const folder = join(await temporaryFolder(), 'holiday');
  await mkdir(join(folder, 'day 1'), { recursive: true });
  for (const name of ['a.txt', 'day 1/b.txt', '.DS_Store', 'day 1/Thumbs.db']) {
    await writeFile(join(folder, name), `${name} ${randomUUID()}`);
  }
  const page = await open(ada);
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await untilSum(page, '2 files: 2 waiting');
  await rowOf(page, 'holiday/day 1').getByText('b.txt').waitFor();
});

test('what is dropped is added, and nothing happens to it until one says so', async () => {
  const page = await open(ada);
  await page.getByText('Drop files or a folder here').waitFor();
  await page.evaluate(`
    const transfer = new DataTransfer();
    transfer.items.add(new File(['${randomUUID()}'], 'dropped.txt'));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: transfer }));
  `);
  await rowOf(page, 'dropped.txt').getByText('Waiting').waitFor();
  await page.getByRole('button', { name: 'Remove dropped.txt from the list' }).click();
  await rowOf(page, 'dropped.txt').waitFor({ state: 'detached' });
});

test('a fingerprint from a link is registered without its file, after logging in if need be', async () => {
  const [file] = newFiles(1);
  if (!file) throw new Error('There is one.');
  const fingerprint = fingerprintOf(file);
  const about = new URLSearchParams({ fingerprint, filename: `${MARKUP}.png`, size: '7', mediaType: 'image/png' });
  const asked: string[] = [];
  const before = async (page: Page) => page.on('request', (request) => asked.push(request.url().split('#')[0] ?? ''));
  const page = await openPage(`${service.url}/dashboard/register#${about}`, { before });
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.getByText('You have an account?').getByRole('link').click();
  await page.reload();
  await page.getByLabel('Email address').waitFor();
  expect(asked.at(0)).toBe(`${service.url}/dashboard/register`);
  expect(asked.filter((url) => url.includes('.png') || url.includes(fingerprint))).toEqual([]);
  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await rowOf(page, MARKUP).getByText('Waiting').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await begin(page);
  await rowOf(page, MARKUP).getByText('On chain').waitFor();
  const { metadata } = await ada.client.getArtifact({ fingerprint });
  expect([metadata.filename, metadata.size, metadata.mediaType]).toEqual([`${MARKUP}.png`, 7, 'image/png']);
});

test('a link that does not say what the file is called asks for it', async () => {
  const fingerprint = `0x${createHash('sha256').update(randomUUID()).digest('hex')}`;
  const page = await openPage(`${service.url}/dashboard/register#fingerprint=${fingerprint}`, { token: ada.token });
  await page.getByRole('button', { name: 'Add to the list' }).click();
  await page.getByText('Enter a file name').waitFor();
  await page.getByLabel('What the file is called').fill('named.txt');
  await page.keyboard.press('Enter');
  await rowOf(page, 'named.txt').getByText('Waiting').waitFor();
});

/** In the page: how many creations were under way at once, at most. */
const countCreations = `
  let now = 0;
  globalThis.most = 0;
  const plain = fetch;
  globalThis.fetch = (address, request) => {
    if (request?.method !== 'POST') return plain(address, request);
    now += 1;
    most = Math.max(most, now);
    return plain(address, request).finally(() => { now -= 1; });
  };
`;

test(
  '500 files at once get through, eight at a time, and few questions are asked about their way to the chain',
  async () => {
    let questions = 0;
    const page = await open(ada, { before: (fresh) => fresh.addInitScript(countCreations) });
    page.on('request', (request) => {
      if (request.method() === 'GET') questions += 1;
    });
    await choose(page, newFiles(500));
    await begin(page);
    const begun = performance.now();
    await untilSum(page, '500 files: 500 registered, 500 on chain', { timeout: LONG_MS - 60_000 });
    const rounds = 1 + (performance.now() - begun) / ROUND_MS;
    expect(await page.evaluate('most')).toBe(8);
    // At most one file and three pages a round, however long it takes; and what the page itself consists of.
    expect(questions).toBeLessThan(4 * rounds + 30);
    await press(page, 'Take 500 finished off the list');
    await sum(page).waitFor({ state: 'detached' });
  },
  LONG_MS,
);

test('work can be paused and goes on; what fails is told in words and tried again', async () => {
  const held: Route[] = [];
  let isHolding = true;
  const page = await open(ada, { expected: LOST });
  await onCreation(page, async (route) => {
    if (isHolding) held.push(route);
    else await route.continue();
  });
  await choose(page, newFiles(10));
  await begin(page);
  await untilSum(page, '10 files: 8 under way, 2 waiting');
  // Whatever is still being hashed would go back to the others that wait.
  await expect.poll(() => held.length).toBe(8);
  await press(page, 'Pause');
  isHolding = false;
  const refusal = { status: 403, json: { error: 'Not allowed', code: 'FORBIDDEN' } };
  for (const route of held) await route.fulfill(refusal);
  await untilSum(page, '10 files: 8 failed, 2 waiting');
  await rowOf(page, 'file 0.txt').getByText('You may no longer register files under this Mark.').waitFor();
  await press(page, 'Try 8 failed again');
  await untilSum(page, '10 files: 10 registered, 10 on chain');
});

test('a token that expires in the middle pauses the work; after logging in it goes on without loss', async () => {
  let isExpired = false;
  const late: Route[] = [];
  const refuse = (route: Route) =>
    route.fulfill({ status: 401, json: { error: 'The token is not valid.', code: 'UNAUTHORIZED' } });
  const page = await open(ada, { expected: LOST });
  await page.route('**/api/v1/**', async (route) => {
    const isOld = (await route.request().headerValue('authorization')) === `Bearer ${ada.token}`;
    if (!isExpired || !isOld) return route.continue();
    if (late.length === 0 && route.request().method() === 'POST') late.push(route);
    else await refuse(route);
  });
  await choose(page, newFiles(20));
  isExpired = true;
  await begin(page);
  const dialog = page.getByRole('dialog', { name: 'Log in to go on' });
  await dialog.waitFor();
  await untilSum(page, '20 files: 1 under way, 19 waiting');
  await expectAccessible(page);
  // The email address is there already, and the cursor is in the password.
  await page.keyboard.type('correct horse battery');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await untilSum(page, '20 files: 19 registered, 19 on chain, 1 under way');
  // A refusal of the old token that took its time stops nothing any more.
  for (const route of late) await refuse(route);
  await untilSum(page, '20 files: 20 registered, 20 on chain');
});

test('leaving in the middle is warned of; afterwards nothing is lost that can be kept, and nothing is there twice', async () => {
  const folder = await temporaryFolder();
  const [answered = '', lost = '', unhashed = ''] = ['answered', 'lost', 'unhashed'].map((name) => join(folder, name));
  for (const path of [answered, lost, unhashed]) await writeFile(path, randomUUID());
  const page = await open(bea, { expected: LOST });
  const input = page.getByLabel('Choose files');
  await input.setInputFiles(answered);
  await begin(page);
  await rowOf(page, 'answered').getByText('On chain').waitFor();
  // The service gets the next one, and its answer never arrives.
  const received: Promise<unknown>[] = [];
  await onCreation(page, async (route) => received.push(route.fetch()));
  await input.setInputFiles(lost);
  await begin(page);
  await expect.poll(() => received.length).toBe(1);
  await received[0];
  await press(page, 'Pause');
  await input.setInputFiles(unhashed);
  const warning = page.waitForEvent('dialog');
  const reload = page.reload();
  expect((await warning).type()).toBe('beforeunload');
  await (await warning).accept();
  await reload;
  await page.unrouteAll();
  await untilSum(page, '3 files: 1 registered, 1 on chain, 1 waiting, 1 to be chosen again');
  await page.getByText('1 file must be chosen again').waitFor();
  await input.setInputFiles(unhashed);
  await begin(page);
  await untilSum(page, '3 files: 3 registered, 3 on chain');
});

test('at the daily limit work stops, and says how many are left and when it begins anew', async () => {
  await waitForDayBoundary();
  const { client, token } = await createRegistrant(service.url);
  await client.putSubscription({ tier: 'free' });
  const page = await open({ token }, { expected: LOST });
  await choose(page, newFiles(27));
  await page.getByText('Only 25 of these will fit').waitFor();
  await begin(page);
  await page.getByText('Stopped: 2 files could not be registered').waitFor();
  await page.getByText(/^0 files of the 25 for today are left\. Begins anew at .+ at 00:00\.$/).waitFor();
  await untilSum(page, /^27 files: 25 registered, \d+ on chain, 2 waiting$/);
  await expectAccessible(page);
  await client.putSubscription({ tier: 'creator' });
  await begin(page);
  await untilSum(page, '27 files: 27 registered');
});

test('an interrupted network is told, and work goes on when it is back', async () => {
  let fetched: Promise<unknown> | undefined;
  const page = await open(ada, {
    expected: /Failed to load resource|ERR_INTERNET_DISCONNECTED/,
    before: async (fresh) => {
      fetched = fresh.waitForEvent('requestfinished', (request) => request.url().includes('hashWorker'));
    },
  });
  await choose(page, newFiles(2));
  // The page has what hashing needs by then.
  await fetched;
  await page.context().setOffline(true);
  await begin(page);
  await page.getByText('The service does not answer at the moment.').waitFor();
  await page.context().setOffline(false);
  await untilSum(page, '2 files: 2 registered, 2 on chain');
  await page.getByText('The service does not answer at the moment.').waitFor({ state: 'detached' });
});

test('two tabs register at once, each with its own list; a list whose tab is closed is taken over', async () => {
  const first = await open(bea);
  const second = await first.context().newPage();
  await choose(
    first,
    newFiles(2, (at) => `first ${at}`),
  );
  await untilSum(first, '2 files: 2 waiting');
  await second.goto(first.url());
  await second.getByText('Drop files or a folder here').waitFor();
  await choose(
    second,
    newFiles(3, (at) => `second ${at}`),
  );
  await untilSum(second, '3 files: 3 waiting');
  await Promise.all([begin(first), begin(second)]);
  await Promise.all([untilSum(first, '2 files: 2 registered, 2'), untilSum(second, '3 files: 3 registered, 3')]);
  await first.close();
  await untilSum(second, '5 files: 5 registered, 5 on chain');
});

test('without storage everything works in this tab, and the page says that a reload loses the list', async () => {
  const page = await openPage(`${service.url}/dashboard/register`, {
    before: (fresh) =>
      fresh.addInitScript(`
        const refuse = () => { throw new DOMException('blocked', 'SecurityError'); };
        for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
          Object.defineProperty(window, name, { get: refuse });
        }
      `),
  });
  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByText('This list will not survive a reload').waitFor();
  await choose(page, newFiles(2));
  await begin(page);
  await untilSum(page, '2 files: 2 registered, 2 on chain');
});

test.each(themes)('the list has no fault in %s, and fits on a phone', async (theme) => {
  const page = await open(ada, { theme, size: 'phone', expected: LOST });
  await onCreation(page, async (route, number) => {
    if (number > 1) await route.continue();
    else await route.fulfill({ status: 400, json: { error: 'No', code: 'BAD_REQUEST' } });
  });
  await choose(
    page,
    newFiles(12, (at) => `${at} ${'long'.repeat(40)} ${MARKUP}`),
  );
  await begin(page);
  await untilSum(page, '12 files: 11 registered, 11 on chain, 1 failed');
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
