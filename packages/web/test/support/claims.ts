// A registry with a file that a squatter has registered, and the claim of its author to it.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { newFingerprint, type Registry, startRegistry, unreachableChain } from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { createRegistrant, type Registrant } from '../../../../test/support/registrants.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, type View } from './browser.js';

const MARKUP = '<img src=x onerror=alert(1)>';

interface ContestedRegistry {
  readonly service: Registry;
  readonly squatter: Registrant;
  /** Whose name is Bea. */
  readonly author: Registrant;
}

export async function startContestedRegistry(): Promise<ContestedRegistry> {
  const service = await startRegistry(await unreachableChain());
  const squatter = await createRegistrant(service.url);
  const author = await createRegistrant(service.url);
  await author.client.updateMe({ name: 'Bea' });
  return { service, squatter, author };
}

export async function registerAsSquatter({ service, squatter }: ContestedRegistry) {
  const fingerprint = newFingerprint();
  const { id } = await squatter.client.createArtifact({
    markId: squatter.markId,
    fingerprint,
    filename: 'sunrise.jpg',
  });
  await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [id]);
  return { id, fingerprint, path: `/artifacts/${fingerprint}` };
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const claim = (page: Page) => page.getByRole('article', { name: 'Claim of Bea' });
export const headline = (page: Page) => page.locator('article p[data-tone]');

/** The author publishes a claim and withdraws it after the answer. */
export async function contestAndWithdraw(
  registry: ContestedRegistry,
  { size, theme }: Required<Pick<View, 'size' | 'theme'>> = { size: 'desktop', theme: 'light' },
): Promise<void> {
  const { service, squatter, author } = registry;
  const view: View = { size, theme, expected: /Failed to load resource/ };
  const { fingerprint, path } = await registerAsSquatter(registry);
  const page = await openPage(`${service.url}${path}`, { ...view, token: author.token });
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

  const received = await openPage(`${service.url}/dashboard/claims`, { ...view, token: squatter.token });
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
}
