// A label: the owner creates an organization and invites, a visitor signs up from the invitation and registers a file under
// its Mark, and the owner sees how much was registered, by whom, and who did what.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { startService } from '../../../../test/support/service.js';
import { createClient } from '../../../client/src/index.js';
import { expectAccessible, expectUsableAtBothSizes, openPage, type View } from '../support/browser.js';
import { choose, createFiles, fingerprintOf, start, untilSummary } from '../support/registerPage.js';

const PASSWORD = 'correct horse battery';
const LABEL = '<img src=x onerror=alert(1)> & co';
/** As tall and as wide as a name can be. */
const TALL_NAME = `Z${'\u0301\u0330\u0489'.repeat(39)}`;
const WIDE_NAME = 'W'.repeat(120);

const service = await startService();

const at = (path: string) => `${service.url}${path}`;
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const region = (page: Page, name: string) => page.getByRole('region', { name });
const row = (page: Page, table: string, name: string) => region(page, table).getByRole('row').filter({ hasText: name });
const total = (page: Page, name: string) =>
  region(page, 'Overview').locator('dl > div').filter({ hasText: name }).getByRole('definition').textContent();

async function signUp(name: string) {
  const email = `${randomUUID()}@example.com`;
  const { token } = await createClient({ baseUrl: service.url }).signUp({ email, password: PASSWORD, name });
  return { token, client: createClient({ baseUrl: service.url, credential: token }) };
}

/** Opens the link of an invitation as a visitor, signs up and accepts. Its token is in no request and stays nowhere. */
async function joinAsVisitor(link: string, name: string, view: View): Promise<Page> {
  const token = new URL(link).hash.slice(1);
  const requested: string[] = [];
  const page = await openPage(link, {
    ...view,
    before: async (opened) => opened.on('request', (request) => requested.push(request.url())),
    expected: /Failed to load resource/,
  });
  await page.getByText(`invites you to join the organization ${LABEL} as an admin.`).waitFor();
  expect(page.url()).toBe(at('/invitation'));
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
  await field(page, 'Your name').fill(name);
  await field(page, 'Email address').fill(`${randomUUID()}@example.com`);
  await field(page, 'Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(/^You are logged in as /).waitFor();
  await press(page, `Accept invitation to ${LABEL}`);
  await page.getByRole('heading', { name: LABEL }).first().waitFor();
  // Fragments are not part of requests.
  expect(requested.filter((url) => url.replace(/#.*/, '').includes(token))).toEqual([]);
  expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(token);
  return page;
}

test('a label works together, on a phone in dark', async () => {
  const view = { size: 'phone', theme: 'dark' } as const;
  const { token, client } = await signUp('Olga');
  await client.putSubscription({ tier: 'enterprise' });

  const owner = await openPage(at('/dashboard/organizations'), { token, ...view });
  await field(owner, 'Name').fill(LABEL);
  await owner.keyboard.press('Enter');
  await owner.getByText('All usage units are in use. Add usage units below to invite members.').waitFor();
  expect(await total(owner, 'Artifacts')).toBe('0');
  await owner.getByText('No Artifacts were registered in the last 30 days.').waitFor();
  const organizationPath = new URL(owner.url()).pathname;
  const organizationId = organizationPath.split('/').at(-1) ?? '';
  await owner.goto(at('/dashboard/marks'));
  await field(owner, 'Owner').selectOption(LABEL);
  await field(owner, 'Name').fill('Nocturnes');
  await owner.keyboard.press('Enter');
  await owner.getByRole('heading', { name: 'Nocturnes' }).waitFor();

  await owner.goto(at(organizationPath));
  await field(owner, 'Additional usage units').fill('5');
  await owner.keyboard.press('Enter');
  await owner.locator('span[id] + span').filter({ hasText: '1 of 6' }).waitFor();
  await owner.getByRole('checkbox', { name: /^Admin/ }).check();
  await press(owner, 'Create invitation');
  const link = (await owner.locator('[data-secret]').textContent()) ?? '';

  const mira = await joinAsVisitor(link, 'Mira', view);
  await region(mira, 'Members').getByRole('listitem').filter({ hasText: 'Mira' }).getByText('Admin').waitFor();
  await mira.goto('about:blank');
  await mira.goto(link);
  await mira.getByText('This invitation is no longer valid').waitFor();

  // The new member registers under it.
  const files = createFiles(2);
  await mira.goto(at('/dashboard/register'));
  await choose(mira, files);
  await start(mira);
  await untilSummary(mira, /registered/i);

  // Others: a former member, a member with a name that does not fit, and a Mark whose name does not either.
  const [former, plain, stranger] = [await signUp('Fred'), await signUp(TALL_NAME), await signUp('Sam')];
  for (const person of [former, plain]) {
    const invitation = await client.createOrganizationInvitation({ organizationId });
    await person.client.acceptInvitation({ token: invitation.token });
  }
  const { id: wideMarkId } = await client.createMark({ name: WIDE_NAME, organizationId });
  const artifact = await former.client.createArtifact({
    markId: wideMarkId,
    fingerprint: newFingerprint(),
    filename: 'song.wav',
  });
  const { user } = await former.client.getMe();
  await client.removeOrganizationMember({ organizationId, userId: user.id });
  await stranger.client.createClaim({
    fingerprint: artifact.fingerprint,
    kind: 'statement',
    statement: 'I wrote this song.',
  });

  await owner.goto(at(organizationPath));
  await row(owner, 'Artifacts by member', 'Mira').waitFor();
  const totals = ['Artifacts', 'Today', 'Last 30 days', 'Failed', 'Marks', 'Members', 'Usage units', 'Open claims'];
  expect(await Promise.all(totals.map((name) => total(owner, name)))).toEqual([
    ...['3', '3', '3', '0', '2', '3', '3 of 6', '1'],
  ]);
  await expect.poll(() => total(owner, 'On chain')).toBe('3');
  expect(await total(owner, 'In progress')).toBe('0');
  const cells = async (table: string, name: string) => row(owner, table, name).getByRole('cell').allTextContents();
  expect((await cells('Artifacts by member', 'Mira'))[0]).toBe('2');
  expect((await cells('Artifacts by member', 'Olga'))[0]).toBe('0');
  expect((await cells('Artifacts by member', 'Former members (1)'))[0]).toBe('1');
  expect((await cells('Artifacts by Mark', 'Nocturnes'))[0]).toBe('2');
  const today = new Date().toLocaleDateString('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' });
  await owner.getByText(`3 Artifacts in the last 30 days. Most on one day: 3, on ${today}.`).waitFor();
  await owner.getByText('Show as a table').click();
  expect((await cells('Overview', today))[0]).toBe('3');
  const sentences = await region(owner, 'History').getByRole('listitem').allTextContents();
  for (const sentence of [
    'Sam contested a file registered under',
    'Olga removed Fred from the organization.',
    'Olga created the Mark Nocturnes.',
    'Mira accepted an invitation and joined the organization as an admin.',
    'Olga changed the additional usage units from 0 to 5.',
  ]) {
    expect(sentences.filter((text) => text.startsWith(sentence))).toHaveLength(1);
  }
  await expectUsableAtBothSizes(owner);
  // A tall name is not drawn over its neighbors.
  const { height } = (await row(owner, 'Artifacts by member', TALL_NAME).boundingBox()) ?? { height: Infinity };
  expect(height).toBeLessThan(120);

  // The files link to their records; other members see the totals, but not who registered how much.
  await row(owner, 'Artifacts by Mark', 'Nocturnes').getByRole('link').click();
  await owner.getByRole('link', { name: files[0]?.name ?? '' }).waitFor();
  expect(
    (await client.getArtifact({ fingerprint: fingerprintOf(files[0] ?? { buffer: Buffer.alloc(0) }) })).createdBy,
  ).toMatchObject({ name: 'Mira' });
  const member = await openPage(at(organizationPath), { token: plain.token, ...view });
  await region(member, 'Artifacts by Mark').waitFor();
  expect(await total(member, 'Artifacts')).toBe('3');
  expect(await region(member, 'Artifacts by member').count()).toBe(0);
  expect(await region(member, 'History').count()).toBe(0);
});
