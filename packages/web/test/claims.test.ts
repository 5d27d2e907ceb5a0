// What the pages say about the registrant of a file, and how others contest the registration.

import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../test/support/domains.js';
import { query } from '../../../test/support/postgres.js';
import { randomUUID } from '../../../test/support/random.js';
import type { Registrant } from '../../../test/support/registrants.js';
import { newImage } from '../../../test/support/signedImages.js';
import { expectAccessible, openPage } from './support/browser.js';
import {
  claim,
  contestAndWithdraw,
  headline,
  press,
  registerAsSquatter,
  startContestedRegistry,
} from './support/claims.js';
import { fact } from './support/verifyPage.js';

const registry = await startContestedRegistry();
const { service, squatter, author } = registry;
const { user } = await author.client.getMe();
const register = () => registerAsSquatter(registry);

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

const open = (path: string, { token }: Partial<Registrant> = {}) =>
  openPage(`${service.url}${path}`, token === undefined ? {} : { token });

test('a statement is published, answered and withdrawn, and all of it stays to be read', async () => {
  await contestAndWithdraw(registry);
});

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
