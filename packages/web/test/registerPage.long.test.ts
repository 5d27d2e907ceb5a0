// Registering files from the dashboard: a hundred of them, beyond the daily limit, in two tabs, without storage, on a phone.

import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { waitForDayBoundary } from '../../../test/support/dayBoundary.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';
import {
  choose,
  createFiles,
  FAILED_REQUEST,
  onCreation,
  press,
  registerPageOf,
  start,
  summary,
  untilSummary,
} from './support/registerPage.js';

const service = await startService();
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);
const openRegisterPage = registerPageOf(service.url);

/** For 100 signatures and their registration on chain, on a busy machine. */
const BATCH_TIMEOUT_MS = 300_000;
/** The page asks for the statuses of this time together; see statusFollower.ts. */
const GATHER_MS = 3_000;
const MARKUP = '<img src=x onerror=alert(1)> & "quotes"';

/** Counts the highest number of concurrent creations in the page, and the times at which it asks for statuses. */
const countActivity = `
  let current = 0;
  globalThis.activity = { maxConcurrent: 0, gatherings: 0 };
  const { fetch: originalFetch, setTimeout: originalSetTimeout } = globalThis;
  globalThis.fetch = (address, request) => {
    if (request?.method !== 'POST') return originalFetch(address, request);
    current += 1;
    activity.maxConcurrent = Math.max(activity.maxConcurrent, current);
    return originalFetch(address, request).finally(() => { current -= 1; });
  };
  globalThis.setTimeout = (work, delay, ...rest) => originalSetTimeout(() => {
    if (delay === ${GATHER_MS}) activity.gatherings += 1;
    work();
  }, delay, ...rest);
`;

test(
  '100 files are registered, eight at a time, and asked for together',
  async () => {
    const reads = { lists: 0, files: 0, streams: 0 };
    let failures = 0;
    const page = await openRegisterPage(ada, { initScript: countActivity });
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() !== 'GET') return;
      if (pathname.endsWith('/stream')) reads.streams += 1;
      else if (/\/artifacts\/0x/.test(pathname)) reads.files += 1;
      else if (pathname.endsWith('/artifacts')) reads.lists += 1;
    });
    page.on('response', (response) => {
      if (!response.ok()) failures += 1;
    });
    page.on('requestfailed', () => {
      failures += 1;
    });
    const eighth = new EventEmitter();
    const eightAreSent = once(eighth, 'sent');
    await onCreation(page, async (route, number) => {
      if (number === 8) eighth.emit('sent');
      await eightAreSent;
      await route.continue();
    });
    await choose(page, createFiles(100));
    await start(page);
    await untilSummary(page, '100 files: 100 registered, 100 on chain', { timeout: BATCH_TIMEOUT_MS - 60_000 });
    const { maxConcurrent, gatherings } = await page.evaluate<{ maxConcurrent: number; gatherings: number }>(
      'activity',
    );
    expect(maxConcurrent).toBe(8);
    // One list at the start, whenever the page has gathered rows, and for each time the stream was opened.
    // What a busy service refused or left unanswered is repeated, and a repeated creation may find the file.
    expect(reads.files).toBeLessThanOrEqual(failures);
    expect(reads.lists).toBeLessThanOrEqual(1 + gatherings + reads.streams + failures);
    await press(page, 'Clear 100 finished');
    await summary(page).waitFor({ state: 'detached' });
  },
  BATCH_TIMEOUT_MS,
);

test('the list is accessible in both themes, and fits on a phone', async () => {
  const page = await openRegisterPage(ada, { size: 'phone', expected: FAILED_REQUEST });
  await onCreation(page, async (route, number) => {
    if (number > 1) await route.continue();
    else await route.fulfill({ status: 400, json: { error: 'No', code: 'BAD_REQUEST' } });
  });
  await choose(
    page,
    createFiles(4, (index) => `${index} ${'long'.repeat(40)} ${MARKUP}`),
  );
  await start(page);
  await untilSummary(page, '4 files: 3 registered, 3 on chain, 1 failed');
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await expectNoSidewaysScroll(page);
});

test('at the daily limit work stops, with the reset time, and continues under a Mark of another owner', async () => {
  await waitForDayBoundary();
  const { client, token } = await createRegistrant(service.url);
  await client.putSubscription({ tier: 'free' });
  const shared = await bea.client.createMark({ name: 'Shared' });
  const invitation = await bea.client.createMarkInvitation({ markId: shared.id });
  await client.acceptInvitation({ token: invitation.token });
  const page = await openRegisterPage({ token }, { expected: FAILED_REQUEST });
  await choose(page, createFiles(27));
  await page.getByText('Only 25 of these files can be registered now').waitFor();
  await start(page);
  await page.getByText('Limit reached: 2 files not registered').waitFor();
  await page.getByText(/^0 of 25 files left today\. Resets at .+ at 00:00\.$/).waitFor();
  await untilSummary(page, /^27 files: 25 registered, \d+ on chain, 2 waiting$/);
  await expectAccessible(page);
  // Files under a Mark of another owner count against that owner's limit.
  await page.getByLabel('Continue under a Mark of another owner').selectOption('Shared (Ada)');
  await start(page);
  await untilSummary(page, '27 files: 27 registered');
  expect((await client.listOwnArtifacts({ markId: shared.id })).artifacts).toHaveLength(2);
});

test('two tabs have separate lists; the list of a closed tab is taken over', async () => {
  const first = await openRegisterPage(bea);
  const second = await first.context().newPage();
  await choose(
    first,
    createFiles(2, (index) => `first ${index}`),
  );
  await untilSummary(first, '2 files: 2 waiting');
  // A tab takes over lists that were stored when it was opened.
  const isStored = `Object.keys(localStorage).some((key) => key.startsWith('provenance-registrations/'))`;
  await expect.poll(() => first.evaluate(isStored)).toBe(true);
  await second.goto(first.url());
  await second.getByText('Drop files or a folder here').waitFor();
  await choose(
    second,
    createFiles(3, (index) => `second ${index}`),
  );
  await untilSummary(second, '3 files: 3 waiting');
  await Promise.all([start(first), start(second)]);
  await Promise.all([
    untilSummary(first, '2 files: 2 registered, 2'),
    untilSummary(second, '3 files: 3 registered, 3'),
  ]);
  await first.close();
  await untilSummary(second, '5 files: 5 registered, 5 on chain');
});

test('without storage everything works in this tab, with a warning that a reload loses the list', async () => {
  const page = await openPage(`${service.url}/dashboard/register`, {
    initScript: `
      const block = () => { throw new DOMException('blocked', 'SecurityError'); };
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(window, name, { get: block });
      }
    `,
  });
  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByText('This list will be lost on reload').waitFor();
  await choose(page, createFiles(2));
  await start(page);
  await untilSummary(page, '2 files: 2 registered, 2 on chain');
});
