// What the pages say about the registrant of a file, and how others contest the registration.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fingerprintOf, newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../test/support/domains.js';
import { query } from '../../../test/support/postgres.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant, type Registrant } from '../../../test/support/registrants.js';
import { newImage } from '../../../test/support/signedImages.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes, type View } from './support/browser.js';
import { fact } from './support/verifyPage.js';

const MARKUP = '<img src=x onerror=alert(1)>';
const FAILED_REQUEST = /Failed to load resource/;
const service = await startRegistry(await unreachableChain());
const squatter = await createRegistrant(service.url);
const author = await createRegistrant(service.url);
await author.client.updateMe({ name: 'Bea' });
const { user } = await author.client.getMe();

/** A file that the squatter has registered. */
async function register() {
  const fingerprint = newFingerprint();
  const { id } = await squatter.client.createArtifact({
    markId: squatter.markId,
    fingerprint,
    filename: 'sunrise.jpg',
  });
  await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [id]);
  return { id, fingerprint, path: `/artifacts/${fingerprint}` };
}

/** As if the author's evidence had been checked. */
async function addClaim(artifactId: string, state: 'checked' | 'unchecked', markId: string | null = author.markId) {
  const reason = state === 'unchecked' ? 'Its root is not one that this registry trusts.' : null;
  await query(
    service.databaseUrl,
    `insert into claims (id, artifact_id, contested_mark_id, claimant_id, mark_id, kind, statement, evidence, evidence_state,
       evidence_time, evidence_details)
     values ($1, $2, $3, $4, $5, 'timestamp', 'I took this photo.', 'token', $6, '2026-05-01T10:00:00Z', $7)`,
    [randomUUID(), artifactId, squatter.markId, user.id, markId, state, { source: 'Example TSA', reason }],
  );
}

const open = (path: string, { token }: Partial<Registrant> = {}, view: View = {}) =>
  openPage(`${service.url}${path}`, { ...view, ...(token !== undefined && { token }) });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const claim = (page: Page) => page.getByRole('article', { name: 'Claim of Bea' });
const headline = (page: Page) => page.locator('.headline');

test.each(themes)(
  'a statement is published, answered and withdrawn, and all of it stays to be read: %s',
  async (theme) => {
    const view: View = { theme, size: theme === 'dark' ? 'phone' : 'desktop', expected: FAILED_REQUEST };
    const { fingerprint, path } = await register();
    const page = await open(path, author, view);
    await page.getByText('There are no claims to this file.').waitFor();
    await page.getByRole('link', { name: 'Contest this registration' }).click();
    await press(page, 'Publish claim');
    const problems = ['Choose the file with your evidence.', 'Enter a text.'];
    await expect.poll(() => page.getByRole('alert').filter({ hasText: /./ }).allTextContents()).toEqual(problems);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page
      .getByLabel('File with your evidence')
      .setInputFiles({ name: 'a.tsr', mimeType: '', buffer: Buffer.from('x') });
    await page.getByRole('textbox', { name: 'Your statement' }).fill('See my time-stamp.');
    await press(page, 'Publish claim');
    await page.getByRole('alert').getByText('time-stamp').waitFor();
    await page.getByRole('radio', { name: /^No evidence/ }).check();
    await page.getByRole('textbox', { name: 'Your statement' }).fill(`${MARKUP}\nI can show the raw file.`);
    await page.getByLabel('You speak for').selectOption('Ada Lovelace Photography');
    await press(page, 'Publish claim');
    await page.getByText('Your claim is published.').waitFor();
    await page.getByText('1 open claim without checked evidence.').waitFor();
    await claim(page).getByText(`${MARKUP} I can show the raw file.`).waitFor();
    await claim(page).getByText('No evidence besides this statement.').waitFor();
    await claim(page).getByText('No verified identity').waitFor();
    // Words alone do not make a registration contested.
    expect(await headline(page).textContent()).not.toContain('contested');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);

    await page.getByRole('link', { name: 'Contest this registration' }).click();
    await page.getByRole('radio', { name: /^No evidence/ }).check();
    await page.getByRole('textbox', { name: 'Your statement' }).fill('Again.');
    await press(page, 'Publish claim');
    await page.getByRole('alert').getByText('You have an open claim to this Artifact already.').waitFor();

    const received = await open('/dashboard/claims', squatter, view);
    const one = received.getByRole('article').filter({ hasText: fingerprint.slice(0, 10) });
    await one.getByRole('button', { name: 'Answer' }).click();
    await received.getByLabel('Your answer').fill('Made by us on assignment.');
    await expectAccessible(received);
    await press(received, 'Publish answer');
    await one.getByText('Answer of the Mark’s admin Ada').waitFor();
    await expectNoSidewaysScroll(received);

    await page.goto(`${service.url}/dashboard/claims`);
    const own = page.getByRole('article').filter({ hasText: fingerprint.slice(0, 10) });
    await own.getByText('Made by us on assignment.').waitFor();
    await own.getByRole('button', { name: 'Withdraw claim' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw claim' }).click();
    await own.getByText('Withdrawn by the claimant Bea').waitFor();
    expect(await own.getByRole('button').count()).toBe(0);

    await page.goto(`${service.url}${path}`);
    await claim(page).getByText('Withdrawn', { exact: true }).waitFor();
    await claim(page).getByText('Made by us on assignment.').waitFor();
    expect(await page.getByText('open claim').count()).toBe(0);
  },
);

test('checked evidence that is older makes a registration contested, until the admin concedes the file', async () => {
  const { id, fingerprint, path } = await register();
  await addVerifiedDomain(service, author.markId, 'bea.example');
  await addClaim(id, 'checked');
  const visitor = await open(path);
  await visitor.getByText('This registration is contested').waitFor();
  expect(await headline(visitor).textContent()).toMatch(/, contested, according to this service$/);
  await claim(visitor).getByText('Time-stamp of May 1, 2026 at 10:00, by Example TSA').waitFor();
  await claim(visitor).getByText('Verified domain bea.example').waitFor();
  const evidence = await claim(visitor).getByRole('link', { name: 'Download the evidence' }).getAttribute('href');
  expect(await (await fetch(evidence ?? '')).text()).toBe('token');
  expect(await claim(visitor).getByRole('button').count()).toBe(0);
  await expectAccessible(visitor);
  // The front page says the same.
  await visitor.goto(`${service.url}/?fingerprint=${fingerprint}`);
  const label = 'Registered under the Mark “Ada Lovelace Photography”; contested, according to this service';
  await visitor.getByRole('heading', { name: label, exact: true }).waitFor();
  await visitor.getByText('Contested: 1 open claim with checked evidence').waitFor();

  const page = await open(path, squatter);
  await page.getByRole('button', { name: 'Concede' }).waitFor();
  expect(await page.getByRole('link', { name: 'Contest this registration' }).count()).toBe(0);
  await press(page, 'Concede');
  await page.getByRole('dialog').getByText('It stays registered under your Mark.').waitFor();
  await press(page, 'Concede file');
  await claim(page).getByText('Conceded by the Mark’s admin Ada').waitFor();
  await page.getByText('The Mark’s admin conceded this file to the Mark').first().waitFor();
  await page.getByText('This registration is contested').waitFor({ state: 'detached' });
});

test('unchecked evidence is shown as such and does not count; a claim for no Mark cannot be conceded', async () => {
  const { id, path } = await register();
  await addClaim(id, 'unchecked', null);
  const page = await open(path, squatter);
  await claim(page).getByText('Unchecked evidence').waitFor();
  await claim(page).getByText('Time-stamp, which states May 1, 2026 at 10:00, by Example TSA').waitFor();
  await claim(page).getByText('Its root is not one that this registry trusts.').waitFor();
  expect(await headline(page).textContent()).not.toContain('contested');
  expect(await claim(page).getByRole('button').allTextContents()).toEqual(['Answer']);
});

test('the page says what was verified when the file was registered, and what has changed since', async () => {
  const { id: markId } = await squatter.client.createMark({ name: 'Ada’s Films' });
  for (const domain of ['kept.example', 'lapsed.example']) await addVerifiedDomain(service, markId, domain);
  const buffer = await newImage('image/png');
  const file = new File([buffer], 'noon.png', { type: 'image/png' });
  await squatter.client.createArtifact({
    markId,
    fingerprint: fingerprintOf(buffer),
    filename: 'noon.png',
    authorshipStated: true,
    file,
  });
  // Manifests are served once their Artifact is being written to the chain.
  await query(service.databaseUrl, 'update artifacts set status = 2 where mark_id = $1', [markId]);
  const lapse = "update mark_domains set ended_at = now(), end_reason = 'lapsed' where domain like 'lapsed.%'";
  await query(service.databaseUrl, lapse);
  await addVerifiedDomain(service, markId, 'later.example');
  await squatter.client.updateMark({ markId, name: 'Ada Lovelace Photography' });
  const page = await open(`/artifacts/${fingerprintOf(buffer)}`);
  await page.getByRole('heading', { level: 1, name: 'noon.png' }).waitFor();
  expect(await fact(page, 'Mark').textContent()).toBe('Ada’s Films (now called Ada Lovelace Photography)');
  const parts = [
    '^Verified domain kept.example · Verified domain later.example · since [^·]+ · 1 Artifact · 2 similar names',
    'kept.example: verified when this file was registered',
    'later.example: verified since .+, after this file was registered',
    'lapsed.example: verified when this file was registered, until ',
  ];
  expect(await fact(page, 'Identity').textContent()).toMatch(new RegExp(parts.join('.*')));
  expect(await fact(page, 'Possession').textContent()).toBe('The service read this file at registration.');
  expect(await fact(page, 'Authorship').textContent()).toContain('stated to have made this file');
  // The credential in the manifest keeps what was verified then.
  await page.getByRole('button', { name: 'Verify independently' }).click();
  const signed = fact(page, 'Identity when signed');
  await signed.getByText('lapsed.example, verified by this registry since').waitFor();
  expect(await signed.textContent()).not.toContain('later.example');
  await expectAccessible(page);
});
