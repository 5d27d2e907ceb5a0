// The public page of a Mark, and what its admin states about its identity.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../test/support/domains.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, openPage } from './support/browser.js';
import { insertArtifacts, listNames as names, row, scrollTo } from './support/markPage.js';

const ARTIFACT_COUNT = 1_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const refused = /Failed to load resource/;
const service = await startRegistry(await unreachableChain());
const { client: ada, token } = await createRegistrant(service.url);
const { user } = await ada.getMe();
const large = await ada.createMark({ name: 'The Archive', license: 'CC0-1.0' });
const secret = await ada.createMark({ name: 'Clandestine', visibility: 'private' });

await insertArtifacts(service.databaseUrl, { markId: large.id, userId: user.id, count: ARTIFACT_COUNT });

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const at = ({ id }: { id: string }) => `${service.url}/marks/${id}`;
const top = (page: Page) => page.evaluate<number>('scrollY');
test('a Mark shows its owner and preferences, and markup in its name is text', async () => {
  const mark = await ada.createMark({ name: HOSTILE, license: 'CC-BY-4.0', allowAiTraining: null });
  const page = await openPage(at(mark));
  await page.getByRole('heading', { level: 1, name: HOSTILE, exact: true }).waitFor();
  expect(await page.title()).toContain(HOSTILE);
  const facts = await page.locator('main dl').first().textContent();
  for (const text of ['OwnerAda', 'Creative Commons Attribution 4.0', 'No preference stated.']) {
    expect(facts).toContain(text);
  }
  await page.getByText('No files are registered under this Mark yet.').waitFor();
  // Each change of a preference stays visible.
  const constraint = `Ask ${HOSTILE}`;
  await ada.updateMark({ markId: mark.id, aiPreferences: { data_mining: { use: 'constrained', constraint } } });
  await page.reload();
  await page.getByText('Changes over time').click();
  const periods = page.locator('main ol li');
  await periods.nth(1).waitFor();
  expect(await periods.allTextContents()).toEqual([
    expect.stringMatching(
      /^Since .*Data mining: allowed under conditions only.*Generative AI training: not specified$/s,
    ),
    expect.stringMatching(/^Since .*No preference stated\.$/),
  ]);
  expect(await periods.first().textContent()).toContain(constraint);
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

test('a private Mark is visible to its members only, and an unknown one is not found', async () => {
  await ada.createArtifact({ markId: secret.id, fingerprint: newFingerprint(), filename: 'portrait.png' });
  const asVisitor = await openPage(at(secret), { expected: refused });
  await asVisitor.getByRole('heading', { name: 'This Mark is private' }).waitFor();
  expect(await asVisitor.content()).not.toContain('Clandestine');
  const asMember = await openPage(at(secret), { token });
  await row(asMember, 'portrait.png').waitFor();
  await asMember.getByText('only members can see this page').waitFor();
  // An id that differs in its last digit.
  const unknown = { id: `${secret.id.slice(0, -1)}${secret.id.endsWith('0') ? '1' : '0'}` };
  const missing = await openPage(at(unknown), { expected: refused });
  await missing.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('a Mark with its Artifacts is accessible and does not shift', async () => {
  const page = await openPage(at(large), { isFirstVisit: true });
  await row(page, 'plate 1').waitFor();
  await expectNoLayoutShift(page);
  await expectAccessible(page);
});

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
