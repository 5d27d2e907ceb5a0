// Mark pages: whose it is, and its Artifacts, also when there are ten thousand.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoJump, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';

const MANY = 10_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const refused = /Failed to load resource/;
const service = await startRegistry(await unreachableChain());
const { client: ada, token } = await createRegistrant(service.url);
const { user } = await ada.getMe();
const large = await ada.createMark({ name: 'The Archive', license: 'CC0-1.0' });
const secret = await ada.createMark({ name: 'Clandestine', visibility: 'private' });

/** Directly: as many through the API would take minutes. The newest is the first. */
await query(
  service.databaseUrl,
  `insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata, created_at)
   select gen_random_uuid(), $1, $2, 2, sha256(number::text::bytea), sha256('x'),
     jsonb_build_object('kind', 'image', 'filename', 'plate ' || number), now() - number * interval '1 minute'
   from generate_series(1, ${MANY}) number`,
  [large.id, user.id],
);

const at = ({ id }: { id: string }) => `${service.url}/marks/${id}`;
const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name} `) });
const names = (page: Page) => page.locator('.entry-name').allTextContents();
const top = (page: Page) => page.evaluate<number>('scrollY');
/** Scrolls on until that row is seen. */
const scrollTo = (page: Page, plate: number) =>
  expect
    .poll(async () => {
      await page.evaluate(
        `{
          const list = document.querySelector('.long-list');
          scrollTo(0, list.offsetTop + (${plate} - 3) * list.querySelector('li').offsetHeight);
        }`,
      );
      return row(page, `plate ${plate}`).isVisible();
    })
    .toBe(true);

/** As somebody who holds the End key down; tells how many elements the document had at most. */
async function scrollToEnd(page: Page): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => {
      let most = 0;
      const go = () => {
        most = Math.max(most, document.querySelectorAll('*').length);
        const rows = [...document.querySelectorAll('[aria-setsize="${MANY}"]')];
        if (rows.some((row) => row.ariaPosInSet === '${MANY}' && row.textContent !== '')) return resolve(most);
        scrollTo(0, document.documentElement.scrollHeight);
        requestAnimationFrame(go);
      };
      go();
    })`,
  );
}

test('a Mark says whose it is and what it allows, and markup in its name is text', async () => {
  const mark = await ada.createMark({ name: HOSTILE, license: 'CC-BY-4.0', allowAiTraining: null });
  const page = await openPage(at(mark));
  await page.getByRole('heading', { level: 1, name: HOSTILE, exact: true }).waitFor();
  expect(await page.title()).toContain(HOSTILE);
  const facts = await page.locator('.facts').textContent();
  for (const words of ['OwnerAda', 'Creative Commons Attribution 4.0', 'No preference stated.']) {
    expect(facts).toContain(words);
  }
  await page.getByText('Nothing is registered under this Mark yet.').waitFor();
});

test('ten thousand Artifacts can be scrolled to the end, and the document stays small', async () => {
  const page = await openPage(at(large));
  await row(page, 'plate 1').waitFor();
  expect(await scrollToEnd(page)).toBeLessThan(1000);
  await row(page, `plate ${MANY}`).waitFor();
  // Back at the top, what was let go on the way is there again.
  await scrollTo(page, 1);
  expect(await names(page)).toContain('plate 12');
});

test('the back button, and a reload, lead to where one was', async () => {
  // Their cards were never drawn.
  const page = await openPage(at(large), { expected: refused });
  await row(page, 'plate 1').waitFor();
  await scrollTo(page, 200);
  const place = async () => ({ top: await top(page), names: await names(page) });
  const before = await place();
  expect(before.top).toBeGreaterThan(10_000);
  await row(page, 'plate 200').click();
  await page.getByRole('heading', { level: 1, name: 'plate 200' }).waitFor();
  expect(await top(page)).toBe(0);
  await page.goBack();
  await expect.poll(place).toEqual(before);
  await page.reload();
  await expect.poll(place).toEqual(before);
  // What is new is above, and nothing is missing between it and the rest.
  await ada.createArtifact({ markId: large.id, fingerprint: newFingerprint(), filename: 'plate 0' });
  await scrollTo(page, 0);
  await row(page, 'plate 0').waitFor();
  await scrollTo(page, 48);
  for (let plate = 46; plate < 54; plate += 1) await row(page, `plate ${plate}`).waitFor();
});

test('the Tab key goes through the rows, beyond those that were there at first', async () => {
  const page = await openPage(at(large), { size: 'phone', expected: refused });
  await row(page, 'plate 1').focus();
  for (let plate = 2; plate <= 31; plate += 1) {
    // Nobody presses it more often than the page draws, as this might on a busy machine.
    await row(page, `plate ${plate}`).waitFor();
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'plate 31' }).waitFor();
});

test('a network that goes away in the middle of a list is told and survived', async () => {
  const nextPages = /artifacts\?.*cursor=/;
  const page = await openPage(at(large), {
    expected: /ERR_FAILED/,
    before: (opened) => opened.route(nextPages, (route) => route.abort()),
  });
  await page.getByText('The service does not answer at the moment.').waitFor();
  await scrollTo(page, 45);
  await page.unroute(nextPages);
  // As browsers tell it: the page may have given up by now.
  await page.evaluate("dispatchEvent(new Event('online'))");
  await scrollTo(page, 60);
  await page.getByText('The service does not answer at the moment.').waitFor({ state: 'detached' });
});

test('a private Mark is shown to its members alone', async () => {
  await ada.createArtifact({ markId: secret.id, fingerprint: newFingerprint(), filename: 'portrait.png' });
  const asStranger = await openPage(at(secret), { expected: refused });
  await asStranger.getByRole('heading', { name: 'This Mark is private' }).waitFor();
  expect(await asStranger.content()).not.toContain('Clandestine');
  const asMember = await openPage(at(secret), { token });
  await row(asMember, 'portrait.png').waitFor();
  await asMember.getByText('only its members see this page').waitFor();
});

test('a Mark that is not there leads nowhere', async () => {
  const page = await openPage(`${service.url}/marks/${crypto.randomUUID()}`, { expected: refused });
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
});

test.each(themes)('a Mark with its Artifacts has no fault in %s, fits on a phone and does not jump', async (theme) => {
  const page = await openPage(at(large), { theme, size: 'phone' });
  await row(page, 'plate 1').waitFor();
  await expectNoJump(page);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
