// The public page of a Mark, also with ten thousand Artifacts, and what its admin states about its identity.

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../test/support/domains.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';

const ARTIFACT_COUNT = 10_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const refused = /Failed to load resource/;
const service = await startRegistry(await unreachableChain());
const { client: ada, token } = await createRegistrant(service.url);
const { user } = await ada.getMe();
const large = await ada.createMark({ name: 'The Archive', license: 'CC0-1.0' });
const secret = await ada.createMark({ name: 'Clandestine', visibility: 'private' });

/** Inserted directly, because the API would take minutes. "plate 1" is the newest. */
await query(
  service.databaseUrl,
  `insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata, created_at)
   select gen_random_uuid(), $1, $2, 2, sha256(number::text::bytea), sha256('x'),
     jsonb_build_object('kind', 'image', 'filename', 'plate ' || number), now() - number * interval '1 minute'
   from generate_series(1, ${ARTIFACT_COUNT}) number`,
  [large.id, user.id],
);

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const at = ({ id }: { id: string }) => `${service.url}/marks/${id}`;
const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name} `) });
const names = (page: Page) => page.locator('.entry-name').allTextContents();
const top = (page: Page) => page.evaluate<number>('scrollY');
/** Scrolls until the row is visible. */
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

/** Scrolls to the end; returns the highest number of elements that the document had. */
async function scrollToEnd(page: Page): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => {
      let most = 0;
      const go = () => {
        most = Math.max(most, document.querySelectorAll('*').length);
        const rows = [...document.querySelectorAll('[aria-setsize="${ARTIFACT_COUNT}"]')];
        if (rows.some((row) => row.ariaPosInSet === '${ARTIFACT_COUNT}' && row.textContent !== '')) return resolve(most);
        scrollTo(0, document.documentElement.scrollHeight);
        requestAnimationFrame(go);
      };
      go();
    })`,
  );
}

test('a Mark shows its owner and preferences, and markup in its name is text', async () => {
  const mark = await ada.createMark({ name: HOSTILE, license: 'CC-BY-4.0', allowAiTraining: null });
  const page = await openPage(at(mark));
  await page.getByRole('heading', { level: 1, name: HOSTILE, exact: true }).waitFor();
  expect(await page.title()).toContain(HOSTILE);
  const facts = await page.locator('.facts').textContent();
  for (const text of ['OwnerAda', 'Creative Commons Attribution 4.0', 'No preference stated.']) {
    expect(facts).toContain(text);
  }
  await page.getByText('No files are registered under this Mark yet.').waitFor();
  // Each change of a preference stays visible.
  const constraint = `Ask ${HOSTILE}`;
  await ada.updateMark({ markId: mark.id, aiPreferences: { data_mining: { use: 'constrained', constraint } } });
  await page.reload();
  await page.getByText('Changes over time').click();
  const periods = page.locator('.periods li');
  await periods.nth(1).waitFor();
  expect(await periods.allTextContents()).toEqual([
    expect.stringMatching(
      /^Since .*Data mining: allowed under conditions only.*Generative AI training: not specified$/s,
    ),
    expect.stringMatching(/^Since .*No preference stated\.$/),
  ]);
  expect(await periods.first().textContent()).toContain(constraint);
});

test('ten thousand Artifacts can be scrolled to the end, and the document stays small', async () => {
  const page = await openPage(at(large));
  await row(page, 'plate 1').waitFor();
  expect(await scrollToEnd(page)).toBeLessThan(1000);
  await row(page, `plate ${ARTIFACT_COUNT}`).waitFor();
  // Rows that were dropped while scrolling are loaded again.
  await scrollTo(page, 1);
  expect(await names(page)).toContain('plate 12');
});

test('the back button and a reload restore the scroll position', async () => {
  // These Artifacts have no card files.
  const page = await openPage(at(large), { expected: refused });
  await row(page, 'plate 1').waitFor();
  await scrollTo(page, 200);
  const position = async () => ({ top: await top(page), names: await names(page) });
  const before = await position();
  expect(before.top).toBeGreaterThan(10_000);
  await row(page, 'plate 200').click();
  await page.getByRole('heading', { level: 1, name: 'plate 200' }).waitFor();
  expect(await top(page)).toBe(0);
  await page.goBack();
  await expect.poll(position).toEqual(before);
  await page.reload();
  await expect.poll(position).toEqual(before);
  // A new Artifact appears first, and no row is missing after it.
  await ada.createArtifact({ markId: large.id, fingerprint: newFingerprint(), filename: 'plate 0' });
  await scrollTo(page, 0);
  await row(page, 'plate 0').waitFor();
  await scrollTo(page, 48);
  for (let plate = 46; plate < 54; plate += 1) await row(page, `plate ${plate}`).waitFor();
});

test('the Tab key moves through the rows, beyond those rendered at first', async () => {
  const page = await openPage(at(large), { size: 'phone', expected: refused });
  await row(page, 'plate 1').focus();
  for (let plate = 2; plate <= 31; plate += 1) {
    // On a busy machine, wait until the row is rendered.
    await row(page, `plate ${plate}`).waitFor();
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'plate 31' }).waitFor();
});

test('a list shows that the network is interrupted, and continues afterwards', async () => {
  const nextPages = /artifacts\?.*cursor=/;
  const page = await openPage(at(large), {
    expected: /ERR_FAILED/,
    before: (opened) => opened.route(nextPages, (route) => route.abort()),
  });
  await page.getByText('The service is not responding.').waitFor();
  await scrollTo(page, 45);
  await page.unroute(nextPages);
  // Browsers send this event; the page may have stopped retrying by now.
  await page.evaluate("dispatchEvent(new Event('online'))");
  await scrollTo(page, 60);
  await page.getByText('The service is not responding.').waitFor({ state: 'detached' });
});

test('a private Mark is visible to its members only', async () => {
  await ada.createArtifact({ markId: secret.id, fingerprint: newFingerprint(), filename: 'portrait.png' });
  const asVisitor = await openPage(at(secret), { expected: refused });
  await asVisitor.getByRole('heading', { name: 'This Mark is private' }).waitFor();
  expect(await asVisitor.content()).not.toContain('Clandestine');
  const asMember = await openPage(at(secret), { token });
  await row(asMember, 'portrait.png').waitFor();
  await asMember.getByText('only members can see this page').waitFor();
});

test('an unknown Mark is not found', async () => {
  const page = await openPage(`${service.url}/marks/${crypto.randomUUID()}`, { expected: refused });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test.each(themes)(
  'a Mark with its Artifacts is accessible in %s, fits on a phone and does not shift',
  async (theme) => {
    const page = await openPage(at(large), { theme, size: 'phone', isFirstVisit: true });
    await row(page, 'plate 1').waitFor();
    await expectNoLayoutShift(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  },
);

test('an admin adds a domain, is told what to publish, and removes the domain', async () => {
  const { id: markId } = await ada.createMark({ name: 'Of a website' });
  const page = await openPage(`${service.url}/dashboard/marks/${markId}`, { token });
  await field(page, 'Domain').fill('https://lovelace.example/');
  await press(page, 'Add domain');
  await page.getByText('Enter the domain alone, such as example.org.').waitFor();
  await field(page, 'Domain').fill('Lovelace.example');
  await page.keyboard.press('Enter');
  await page.getByText('Not confirmed yet').waitFor();
  for (const text of ['_provenance-registry.lovelace.example', `mark=${markId}`, `{"marks":["${markId}"]}`]) {
    await page.getByText(text, { exact: true }).waitFor();
  }
  await expectAccessible(page);
  await press(page, 'Remove lovelace.example');
  await press(page, 'Remove domain');
  await page.getByText('Not confirmed yet').waitFor({ state: 'detached' });
  await addVerifiedDomain(service, markId, 'ada.example', { method: 'file', since: new Date('2025-03-04T12:00Z') });
  await page.reload();
  await page.getByText(/Verified by a file on its website since .*2025, last confirmed/).waitFor();
  expect(await page.getByText('TXT record').count()).toBe(0);
  const visitor = await openPage(at({ id: markId }));
  await visitor.getByText(/file on its website, verified since .*2025/).waitFor();
});

test('a name that looks like that of another Mark is warned about, and can be used', async () => {
  const first = await createRegistrant(service.url);
  const { id } = await first.client.createMark({ name: 'Lighthouse Agency' });
  await addVerifiedDomain(service, id, 'lighthouse.example');
  const page = await openPage(`${service.url}/dashboard/marks`, { token });
  // The Cyrillic letters look like e and A.
  await field(page, 'Name').fill('Lighthous\u0435 \u0410gency');
  const warning = page.getByRole('status').filter({ hasText: 'Other Marks have a similar name' });
  await warning.getByText('lighthouse.example').waitFor();
  await expectAccessible(page);
  await press(page, 'Create Mark');
  await heading(page, 'Lighthous\u0435 \u0410gency');
  await page.goto(`${service.url}/gallery?query=Agency`);
  await page.getByText('1 similar name').first().waitFor();
});

test('an admin states which Mark represents another, and visitors see it', async () => {
  const old = await ada.createMark({ name: `Old ${randomUUID()}` });
  const current = await ada.createMark({ name: `Current ${randomUUID()}` });
  const page = await openPage(`${service.url}/dashboard/marks/${old.id}`, { token });
  await field(page, 'Represented by').selectOption(current.id);
  await press(page, 'Change statement');
  await page.getByRole('dialog').getByRole('button', { name: 'Change statement' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(at(old));
  await page.getByRole('link', { name: current.name }).waitFor();
  await page.getByText('as its admin states').waitFor();
});
