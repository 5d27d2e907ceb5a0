// Registering many files from the dashboard, with a real browser and service.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService, temporaryFolder } from '../../../test/support/service.js';
import { expectAccessible, openPage } from './support/browser.js';
import {
  choose,
  createFiles,
  FAILED_REQUEST,
  fingerprintOf,
  onCreation,
  press,
  registerPageOf,
  rowOf,
  start,
  untilSummary,
} from './support/registerPage.js';

const service = await startService();
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);

const openRegisterPage = registerPageOf(service.url);

const MARKUP = '<img src=x onerror=alert(1)> & "quotes"';

test('files are hashed in the browser and registered; their content is never sent, and their names are text', async () => {
  const files = createFiles(3, (index) => `${index} ${MARKUP}.txt`);
  const sent: string[] = [];
  const page = await openRegisterPage(ada);
  page.on('request', (request) => sent.push(request.postDataBuffer()?.toString('utf8') ?? ''));
  await choose(page, files);
  await start(page);
  await untilSummary(page, '3 files: 3 registered, 3 on chain');
  for (const file of files) {
    await rowOf(page, file.name).getByText('On chain').waitFor();
    const { metadata, mark, authorshipStated } = await ada.client.getArtifact({ fingerprint: fingerprintOf(file) });
    expect([metadata.filename, metadata.size, mark.id]).toEqual([file.name, file.buffer.length, ada.markId]);
    // Never stated without the user's word.
    expect(authorshipStated).toBe(false);
    expect(sent.filter((body) => body.includes(file.buffer.toString()))).toEqual([]);
  }
  expect(sent.filter((body) => body.includes('fingerprint')).length).toBe(3);

  const receipt = page.getByRole('region', { name: 'In the public log' });
  await receipt.getByText(/^Leaf \d+, under a signed checkpoint of \d+ leaves$/).waitFor();
  await page
    .getByText('This is the receipt of')
    .getByText(files[2]?.name ?? '')
    .waitFor();
});

test('a file that is already registered is shown as the user’s own or another’s; one that differs in a byte is another file', async () => {
  const [own, another] = createFiles(2);
  if (!own || !another) throw new Error('Expected two files.');
  const changed = { ...own, name: 'changed.txt', buffer: Buffer.from(own.buffer) };
  changed.buffer.writeUInt8(changed.buffer.readUInt8(0) ^ 1, 0);
  const markId = (await bea.client.createMark({ name: MARKUP })).id;
  await ada.client.createArtifact({ markId: ada.markId, fingerprint: fingerprintOf(own), filename: 'before' });
  await bea.client.createArtifact({ markId, fingerprint: fingerprintOf(another), filename: 'before' });
  const page = await openRegisterPage(ada, { expected: FAILED_REQUEST });
  await choose(page, [own, another, changed]);
  await start(page);
  await rowOf(page, own.name).getByText('Already yours').waitFor();
  await rowOf(page, another.name).getByText('Registered by others').waitFor();
  await rowOf(page, another.name).getByText(MARKUP).waitFor();
  await rowOf(page, changed.name).getByText('On chain').waitFor();
});

test('a folder is read recursively, without system files; what is chosen or dropped waits until the user starts', async () => {
  const folder = join(await temporaryFolder(), 'holiday');
  await mkdir(join(folder, 'day 1'), { recursive: true });
  for (const name of ['a.txt', 'day 1/b.txt', '.DS_Store', 'day 1/Thumbs.db']) {
    await writeFile(join(folder, name), `${name} ${randomUUID()}`);
  }
  const page = await openRegisterPage(ada);
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await untilSummary(page, '2 files: 2 waiting');
  await rowOf(page, 'holiday/day 1').getByText('b.txt').waitFor();
  await page.evaluate(`
    const transfer = new DataTransfer();
    transfer.items.add(new File(['${randomUUID()}'], 'dropped.txt'));
    document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer: transfer }));
  `);
  await rowOf(page, 'dropped.txt').getByText('Waiting').waitFor();
  await page.getByRole('button', { name: 'Remove dropped.txt' }).click();
  await rowOf(page, 'dropped.txt').waitFor({ state: 'detached' });
});

test('a fingerprint from a link is registered without its file, after logging in if necessary', async () => {
  const [file] = createFiles(1);
  if (!file) throw new Error('Expected a file.');
  const fingerprint = fingerprintOf(file);
  const about = new URLSearchParams({ fingerprint, filename: `${MARKUP}.png`, size: '7', mediaType: 'image/png' });
  const requests: string[] = [];
  const before = async (page: Page) =>
    page.on('request', (request) => requests.push(request.url().split('#')[0] ?? ''));
  const page = await openPage(`${service.url}/dashboard/register#${about}`, { before });
  await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
  await page.getByText('Already have an account?').getByRole('link').click();
  await page.reload();
  await page.getByLabel('Email address').waitFor();
  expect(requests.at(0)).toBe(`${service.url}/dashboard/register`);
  expect(requests.filter((url) => url.includes('.png') || url.includes(fingerprint))).toEqual([]);
  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await rowOf(page, MARKUP).getByText('Waiting').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await start(page);
  await rowOf(page, MARKUP).getByText('On chain').waitFor();
  const { metadata } = await ada.client.getArtifact({ fingerprint });
  expect([metadata.filename, metadata.size, metadata.mediaType]).toEqual([`${MARKUP}.png`, 7, 'image/png']);

  // Without a file name, the page asks for it.
  await page.goto('about:blank');
  await page.goto(`${service.url}/dashboard/register#fingerprint=${newFingerprint()}`);
  await page.getByRole('button', { name: 'Add to list' }).click();
  await page.getByText('Enter a file name').waitFor();
  await page.getByLabel('File name').fill('named.txt');
  await page.keyboard.press('Enter');
  await rowOf(page, 'named.txt').getByText('Waiting').waitFor();
});

test('work can be paused and continued; failures have a message and can be retried', async () => {
  const held: Route[] = [];
  let isHolding = true;
  const page = await openRegisterPage(ada, { expected: FAILED_REQUEST });
  await onCreation(page, async (route) => {
    if (isHolding) held.push(route);
    else await route.continue();
  });
  await choose(page, createFiles(10));
  await start(page);
  await untilSummary(page, '10 files: 8 in progress, 2 waiting');
  // Files that are still being hashed would return to the waiting ones.
  await expect.poll(() => held.length).toBe(8);
  await press(page, 'Pause');
  isHolding = false;
  const rejection = { status: 403, json: { error: 'Not allowed', code: 'FORBIDDEN' } };
  for (const route of held) await route.fulfill(rejection);
  await untilSummary(page, '10 files: 8 failed, 2 waiting');
  await rowOf(page, 'file 0.txt').getByText('You can no longer register files under this Mark.').waitFor();
  await press(page, 'Retry 8 failed');
  await untilSummary(page, '10 files: 10 registered, 10 on chain');
});

test('an expired session pauses the work; after logging in it continues without loss', async () => {
  let isExpired = false;
  const late: Route[] = [];
  const reject = (route: Route) =>
    route.fulfill({ status: 401, json: { error: 'The token is not valid.', code: 'UNAUTHORIZED' } });
  const page = await openRegisterPage(ada, { expected: FAILED_REQUEST });
  await page.route('**/api/v1/**', async (route) => {
    const isOld = (await route.request().headerValue('authorization')) === `Bearer ${ada.token}`;
    // With the first file: what the page loads by itself before must not show the dialog too early.
    isExpired ||= route.request().method() === 'POST';
    if (!isExpired || !isOld) return route.continue();
    if (late.length === 0 && route.request().method() === 'POST') late.push(route);
    else await reject(route);
  });
  await choose(page, createFiles(10));
  await start(page);
  const dialog = page.getByRole('dialog', { name: 'Log in to continue' });
  await dialog.waitFor();
  await untilSummary(page, '10 files: 1 in progress, 9 waiting');
  await expectAccessible(page);
  // The email address is filled in, and the password has the focus.
  await page.keyboard.type('correct horse battery');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await untilSummary(page, '10 files: 9 registered, 9 on chain, 1 in progress');
  // A late rejection of the old token does not stop the queue again.
  for (const route of late) await reject(route);
  await untilSummary(page, '10 files: 10 registered, 10 on chain');
});

test('leaving during work shows a warning; a reload loses nothing that can be stored, and duplicates nothing', async () => {
  const folder = await temporaryFolder();
  const [registered = '', lost = '', unhashed = ''] = ['registered.txt', 'lost.txt', 'unhashed.txt'].map((name) =>
    join(folder, name),
  );
  for (const path of [registered, lost, unhashed]) await writeFile(path, randomUUID());
  const page = await openRegisterPage(bea, { expected: FAILED_REQUEST });
  const input = page.getByLabel('Choose files');
  await input.setInputFiles(registered);
  await start(page);
  await rowOf(page, 'registered.txt').getByText('On chain').waitFor();
  // The service receives the next request, and its response is lost.
  const received: Promise<unknown>[] = [];
  await onCreation(page, async (route) => received.push(route.fetch()));
  await input.setInputFiles(lost);
  await start(page);
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
  await untilSummary(page, '3 files: 1 registered, 1 on chain, 1 waiting, 1 to choose again');
  await page.getByText('Choose 1 file again').waitFor();
  await input.setInputFiles(unhashed);
  await start(page);
  await untilSummary(page, '3 files: 3 registered, 3 on chain');
});

test('an interrupted network is shown, and work continues when it is back', async () => {
  let workerLoaded: Promise<unknown> | undefined;
  const page = await openRegisterPage(ada, {
    expected: /Failed to load resource|ERR_INTERNET_DISCONNECTED/,
    before: async (newPage) => {
      workerLoaded = newPage.waitForEvent('requestfinished', (request) => request.url().includes('hashWorker'));
    },
  });
  await choose(page, createFiles(2));
  // Hashing works offline from now on.
  await workerLoaded;
  await page.context().setOffline(true);
  await start(page);
  await page.getByText('The service is not responding.').waitFor();
  await page.context().setOffline(false);
  await untilSummary(page, '2 files: 2 registered, 2 on chain');
  await page.getByText('The service is not responding.').waitFor({ state: 'detached' });
});
