// Organizations, invitations and members of Marks on the pages: owner and invited user, each in a browser of their own.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { startMailServer, verifyAddress } from '../../../test/support/mailServer.js';
import { randomUUID } from '../../../test/support/random.js';
import { startService } from '../../../test/support/service.js';
import { createClient, type RegistryClient } from '../../client/src/index.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, sizes, type Theme, type View } from './support/browser.js';

const PASSWORD = 'correct horse battery';
const REFUSED = /Failed to load resource/;

const mailServer = await startMailServer();
const service = await startService(mailServer.settings);
const ada = await createPerson('Ada');
await verifyAddress(service, mailServer, ada.email);

const at = (path: string) => `${service.url}${path}`;
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const region = (page: Page, name: string) => page.getByRole('region', { name });
const member = (page: Page, name: string) => region(page, 'Members').getByRole('listitem').filter({ hasText: name });
const untilUnits = (page: Page, text: string) => page.locator('span[id] + span').filter({ hasText: text }).waitFor();

/** The page is accessible, and fits on the narrowest phones. */
async function expectUsable(page: Page, colorScheme: Theme = 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expectAccessible(page);
  await expectFits(page);
}

async function expectFits(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(sizes.desktop);
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly token: string;
  readonly client: RegistryClient;
}

async function createPerson(name: string): Promise<Person> {
  const email = `${randomUUID()}@example.com`;
  const { user, token } = await createClient({ baseUrl: service.url }).signUp({ email, password: PASSWORD, name });
  const client = createClient({ baseUrl: service.url, credential: token });
  await client.putSubscription({ tier: 'enterprise' });
  return { id: user.id, name, email, token, client };
}

async function createOrganization(owner: Person, name: string, members: readonly Person[] = []) {
  const { id: organizationId } = await owner.client.createOrganization({ name });
  await owner.client.putUsageUnits({ organizationId, purchased: members.length + 1 });
  for (const { client } of members) {
    const { token } = await owner.client.createOrganizationInvitation({ organizationId });
    await client.acceptInvitation({ token });
  }
  return organizationId;
}

const openOrganization = (user: Person, id: string, view: View = {}) =>
  openPage(at(`/dashboard/organizations/${id}`), { token: user.token, ...view });

test('the owner changes roles, withdraws an invitation and removes a member after being told what follows', async () => {
  const bea = await createPerson('Bea');
  const id = await createOrganization(ada, 'Studio', [bea]);
  const { id: markId } = await ada.client.createMark({ name: 'Of Bea', organizationId: id });
  await ada.client.putMarkAdmin({ markId, userId: bea.id });
  const page = await openOrganization(ada, id);
  await press(page, 'Make admin: Bea');
  await page.getByRole('button', { name: 'Remove admin role: Bea' }).waitFor();
  await field(page, 'Invite by email address (optional)').fill('not an address');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a valid email address, such as ada@example.com.').waitFor();
  await field(page, 'Invite by email address (optional)').fill('cy@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('The link is mailed to cy@example.com, unless').waitFor();
  await untilUnits(page, '3 of 3');
  await field(page, 'Additional usage units').fill('1');
  await page.keyboard.press('Enter');
  await page.getByText('2 usage units are in use. Remove members or withdraw invitations first').waitFor();
  await press(page, 'Withdraw invitation for cy@example.com');
  await confirm(page, 'Withdraw invitation');
  await untilUnits(page, '2 of 3');
  expect(await page.locator('[data-secret]').isVisible()).toBe(false);

  await press(page, 'Remove Bea');
  await page.getByText('Marks of the organization that they administer pass to you').waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  expect(await ada.client.listOrganizationMembers({ organizationId: id })).toHaveLength(2);
  await press(page, 'Remove Bea');
  await confirm(page, 'Remove member');
  await untilUnits(page, '1 of 3');
  expect((await ada.client.getMark({ markId })).admin.name).toBe('Ada');
  const sentences = await region(page, 'History').getByRole('listitem').allTextContents();
  for (const sentence of [
    'Ada removed Bea from the organization.',
    'Ada made Bea an admin.',
    'Ada created the organization.',
  ]) {
    expect(sentences.filter((text) => text.startsWith(sentence))).toHaveLength(1);
  }
});

test('a member leaves; the owner transfers the organization and is told that the tier of the new owner applies', async () => {
  const [dora, bea, cy] = [await createPerson('Dora'), await createPerson('Bea'), await createPerson('Cy')];
  const id = await createOrganization(dora, 'Handed on', [bea, cy]);
  const asBea = await openOrganization(bea, id);
  await press(asBea, 'Leave organization');
  await asBea.getByText('To come back you need a new invitation.').waitFor();
  await expectUsable(asBea, 'dark');
  await confirm(asBea, 'Leave organization');
  await asBea.getByText('You are not a member of any organization.').waitFor();

  const owner = await openOrganization(dora, id);
  await press(owner, 'Transfer organization');
  await owner.getByText('If it is not Enterprise, the organization is frozen').waitFor();
  await owner.getByText('All API keys of the organization are revoked').waitFor();
  await expectFits(owner);
  await confirm(owner, 'Transfer organization');
  await owner.getByRole('heading', { name: 'Leave organization' }).waitFor();
  await member(owner, 'Cy').getByText('Owner').waitFor();
  await region(owner, 'History').getByText('Dora transferred the organization to Cy.').waitFor();
  await region(owner, 'History').getByText('Bea left the organization.').waitFor();

  // Back to a member on a tier without organizations, and to one whose tier freezes it.
  await dora.client.putSubscription({ tier: 'free' });
  const asCy = await openOrganization(cy, id, { expected: REFUSED });
  await press(asCy, 'Transfer organization');
  await confirm(asCy, 'Transfer organization');
  await asCy.getByText('The tier of this member does not allow another organization.').waitFor();
  await asCy.keyboard.press('Escape');
  await dora.client.putSubscription({ tier: 'creator' });
  await press(asCy, 'Transfer organization');
  await confirm(asCy, 'Transfer organization');
  await asCy.getByText('You are not a member of any organization.').waitFor();
});

test('the history is shown in pages, newest first, to the owner and to admins only', async () => {
  const bea = await createPerson('Bea');
  const id = await createOrganization(ada, 'Busy', [bea]);
  for (let purchased = 2; purchased < 24; purchased += 1)
    await ada.client.putUsageUnits({ organizationId: id, purchased });
  const page = await openOrganization(ada, id);
  const entries = region(page, 'History').getByRole('listitem');
  await entries.first().waitFor();
  expect(await entries.first().textContent()).toContain('Ada changed the additional usage units from 22 to 23.');
  expect(await entries.count()).toBe(20);
  expect(await entries.first().locator('time').getAttribute('datetime')).toMatch(/^\d{4}-.*Z$/);
  await press(page, 'Load older');
  await region(page, 'History').getByText('Ada created the organization.').waitFor();
  expect(await page.getByRole('button', { name: 'Load older' }).isVisible()).toBe(false);
  const texts = await entries.allTextContents();
  expect(new Set(texts).size).toBe(texts.length);
  await expectUsable(page, 'dark');
  const asBea = await openOrganization(bea, id);
  await member(asBea, 'Bea').waitFor();
  expect(await region(asBea, 'History').isVisible()).toBe(false);
});

test('a mailed invitation is for its verified address only, and is also on the dashboard', async () => {
  const [bea, cy] = [await createPerson('Bea'), await createPerson('Cy')];
  const id = await createOrganization(ada, 'By mail', []);
  await ada.client.createOrganizationInvitation({ organizationId: id, email: bea.email });
  const mails = [await mailServer.nextMail(bea.email), await mailServer.nextMail(bea.email)];
  const verification = mails.find(({ link }) => link.startsWith(at('/verify-email#')));
  const link = mails.find((mail) => mail !== verification)?.link ?? '';

  const asCy = await openPage(link, { token: cy.token });
  await asCy.getByText('This invitation is for another email address').waitFor();
  expect(await asCy.getByRole('button', { name: /^(Accept|Decline)/ }).count()).toBe(0);
  await expectUsable(asCy, 'dark');
  await press(asCy, 'Log in with another account');
  await field(asCy, 'Email address').fill(bea.email);
  await field(asCy, 'Password').fill(PASSWORD);
  await asCy.keyboard.press('Enter');
  const asBea = asCy;
  await asBea.getByText('Verify your email address first').waitFor();
  await bea.client.verifyEmail({ token: verification?.token ?? '' });
  await press(asBea, 'Check again');
  await press(asBea, 'Decline invitation to By mail');
  await confirm(asBea, 'Decline invitation');
  await heading(asBea, 'Welcome, Bea');
  expect(await ada.client.listOrganizationInvitations({ organizationId: id })).toEqual([]);

  const { id: markId } = await ada.client.createMark({ name: 'Shared' });
  await ada.client.createMarkInvitation({ markId, email: bea.email });
  await asBea.reload();
  const card = region(asBea, 'Invitations for you');
  await card.getByText('Ada invites you to join the Mark Shared.').waitFor();
  await expectUsable(asBea);
  await press(asBea, 'Accept invitation to Shared');
  await heading(asBea, 'Shared');
  await member(asBea, 'Bea').waitFor();
});

test('the admin of a Mark invites and removes members and hands over the role; members leave', async () => {
  const [bea, cy] = [await createPerson('Bea'), await createPerson('Cy')];
  const { id: markId } = await ada.client.createMark({ name: 'Together' });
  const path = `/dashboard/marks/${markId}`;
  // The page may ask for invitations while it hands over the role that may see them.
  const page = await openPage(at(path), { token: ada.token, expected: /403/ });
  for (const { client } of [bea, cy]) {
    await press(page, 'Create invitation');
    const link = (await page.locator('[data-secret]').textContent()) ?? '';
    await client.acceptInvitation({ token: new URL(link).hash.slice(1) });
    await press(page, 'Done');
    await page.reload();
  }
  await member(page, 'Cy').waitFor();
  await press(page, 'Remove Cy');
  await confirm(page, 'Remove member');
  await member(page, 'Cy').waitFor({ state: 'detached' });
  await field(page, 'New admin').selectOption('Bea');
  await press(page, 'Hand over admin role');
  await page.getByRole('dialog').getByText('You lose these rights.').waitFor();
  await expectUsable(page, 'dark');
  await confirm(page, 'Hand over admin role');
  await member(page, 'Bea').getByText('Admin', { exact: true }).waitFor();
  await page.getByText('Only its admin, Bea, can edit this Mark.').waitFor();
  await page.getByRole('button', { name: 'Create invitation' }).waitFor({ state: 'hidden' });
  // The owner takes the role back; Bea is a member then, and leaves.
  await press(page, 'Take admin role');
  await confirm(page, 'Take admin role');
  await page.getByRole('button', { name: 'Create invitation' }).waitFor();
  const asBea = await openPage(at(path), { token: bea.token });
  await press(asBea, 'Leave Together');
  await confirm(asBea, 'Leave Mark');
  await heading(asBea, 'Marks');
  expect((await ada.client.getMark({ markId })).members).toEqual([]);
});

test('a Mark whose owner closed the account is shown as closed, and files cannot be registered under it', async () => {
  const [bea, owner] = [await createPerson('Bea'), await createPerson('Cy')];
  await bea.client.createMark({ name: 'Open' });
  const name = `Closed ${randomUUID()}`;
  const { id: markId } = await owner.client.createMark({ name });
  const { token } = await owner.client.createMarkInvitation({ markId });
  await bea.client.acceptInvitation({ token });
  await owner.client.closeAccount({ password: PASSWORD });
  const page = await openPage(at(`/marks/${markId}`), { token: bea.token });
  await page.getByText('This Mark is closed').waitFor();
  await page.goto(at(`/gallery?query=${name}`));
  await page
    .getByRole('link', { name: new RegExp(name) })
    .getByText(/· closed$/)
    .waitFor();
  await expectFits(page);
  await page.goto(at(`/dashboard/marks/${markId}`));
  await page.getByText('This Mark is closed').waitFor();
  expect(await page.getByRole('link', { name: 'Register files' }).isVisible()).toBe(false);
  await page.goto(at(`/dashboard/register?mark=${markId}`));
  const options = field(page, 'Mark').locator('option');
  await options.first().waitFor({ state: 'attached' });
  expect(await options.allTextContents()).toEqual(['Open']);
});

test('the admin hides the details of a file, and is told what stays published', async () => {
  const fingerprint = newFingerprint();
  const { id: markId } = await ada.client.createMark({ name: 'Public' });
  await ada.client.createArtifact({ markId, fingerprint, filename: 'unreleased.png', mediaType: 'image/png' });
  const bea = await createPerson('Bea');
  const page = await openPage(at(`/artifacts/${fingerprint}`), { token: ada.token });
  await press(page, 'Make details private');
  await page.getByRole('dialog').getByText('keep the names that were signed').waitFor();
  await expectUsable(page);
  await confirm(page, 'Make private');
  await page.getByRole('button', { name: 'Make details public' }).waitFor();
  const visitor = await openPage(at(`/artifacts/${fingerprint}`), { token: bea.token });
  await heading(visitor, 'Image');
  expect(await visitor.locator('main').textContent()).not.toContain('unreleased.png');
  expect(await region(visitor, 'File details').isVisible()).toBe(false);
});
