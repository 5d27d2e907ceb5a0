// Accounts, Marks, organizations, keys and tiers on the dashboard, in a real browser, with the real service behind it.

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { createClient } from '../../client/src/index.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';

const service = await startService();
const PASSWORD = 'correct horse battery';
/** What browsers write on their console when a request is refused. */
const REFUSED = /Failed to load resource/;
const MARKUP = '<img src=x onerror=alert(1)> & "quotes"';

const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);

const at = (path: string) => `${service.url}${path}`;
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const places = (page: Page, text: string) => page.locator('.meter-count').filter({ hasText: text }).waitFor();
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /./ }).allTextContents();

async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await field(page, 'Email address').fill(email);
  await field(page, 'Password').fill(password);
  await page.keyboard.press('Enter');
}

test('who signs up gets to where they were going; what is wrong is said beside the field', async () => {
  const page = await openPage(at('/dashboard/organizations'), { expected: REFUSED });
  await page.getByRole('link', { name: 'Sign up' }).click();
  await heading(page, 'Sign up');
  await press(page, 'Sign up');
  expect(await alerts(page)).toEqual([
    'Enter a name.',
    'Enter an email address.',
    'Choose a password of at least 10 characters.',
  ]);
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
  await field(page, 'Your name').fill(MARKUP);
  await logIn(page, ada.email, 'short');
  expect(await alerts(page)).toEqual(['Choose a password of at least 10 characters.']);
  await logIn(page, ada.email);
  await page.getByText('This address has an account. Log in instead.').waitFor();
  await press(page, 'Show the password');
  expect(await field(page, 'Password').getAttribute('type')).toBe('text');
  await logIn(page, `${randomUUID()}@example.com`);
  await heading(page, 'Organizations');
  await page.getByRole('link', { name: 'Overview' }).click();
  await heading(page, `Welcome, ${MARKUP}`);
  await heading(page, 'Make your first Mark');
});

test('who logs in gets to where they were going, on this site alone', async () => {
  const page = await openPage(at(`/login?next=${encodeURIComponent('//elsewhere.example/dashboard')}`), {
    expected: REFUSED,
  });
  await logIn(page, ada.email, 'not the password');
  await page.getByText('This email address and this password do not belong together.').waitFor();
  await logIn(page, ada.email);
  await heading(page, 'Welcome, Ada');
  expect(page.url()).toBe(at('/dashboard'));
});

test('who comes with a token that is of no use any more logs in and goes on', async () => {
  const page = await openPage(at('/dashboard/keys'), { token: 'of.no.use', expected: REFUSED });
  await page.getByText('You were logged out because some time has passed.').waitFor();
  await logIn(page, ada.email);
  await heading(page, 'API keys');
});

test('logging in and out in one tab shows in the other', async () => {
  const first = await openPage(at('/login'));
  const second = await first.context().newPage();
  await second.goto(at('/login'));
  await logIn(first, ada.email);
  await heading(second, 'Welcome, Ada');
  await second.getByRole('link', { name: 'Account' }).click();
  await press(second, 'Log out');
  await heading(first, 'Log in');
});

test('a Mark is made with what was chosen; what the tier does not have is explained before it is tried', async () => {
  const email = `${randomUUID()}@example.com`;
  const { token } = await createClient({ baseUrl: service.url }).signUp({ email, password: PASSWORD, name: MARKUP });
  const client = createClient({ baseUrl: service.url, credential: token });
  const page = await openPage(at('/dashboard/marks'), { token });
  await page.getByText('Private Marks come with the Creator tier.').waitFor();
  expect(await page.getByRole('radio', { name: /^Only those/ }).isDisabled()).toBe(true);
  await press(page, 'Make the Mark');
  expect(await alerts(page)).toEqual(['Enter a name.']);
  await field(page, 'Name').fill(MARKUP);
  await field(page, 'Licence').selectOption('CC-BY-NC-4.0');
  await page.getByText('if they name you and earn nothing from it.').waitFor();
  await page.getByRole('radio', { name: /^No/ }).check();
  await page.keyboard.press('Enter');
  await heading(page, MARKUP);
  const [mark] = await client.listMarks();
  expect(mark).toMatchObject({
    name: MARKUP,
    licenseKey: 'CC-BY-NC-4.0',
    allowAiTraining: false,
    visibility: 'public',
  });
  await page.getByText('Changing Marks comes with the Creator tier.').waitFor();
  for (const name of ['second', 'third']) await client.createMark({ name });
  await page.getByRole('link', { name: 'Marks', exact: true }).click();
  await page.getByText('The Free tier allows no more Marks.').waitFor();
});

test('the admin of a Mark changes it and says who may register under it', async () => {
  const { id } = await ada.client.createMark({ name: 'Before', license: 'MIT' });
  const beasName = (await bea.client.getMe()).user.name;
  const page = await openPage(at(`/dashboard/marks/${id}`), { token: ada.token, expected: REFUSED });
  await field(page, 'Name').fill(MARKUP);
  await page.getByRole('radio', { name: /^Only those/ }).check();
  await page.getByRole('radio', { name: /^I do not say/ }).check();
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await heading(page, MARKUP);
  const changed = { name: MARKUP, visibility: 'private', allowAiTraining: null, licenseKey: 'MIT' };
  expect(await ada.client.getMark({ markId: id })).toMatchObject(changed);

  const members = page.getByRole('region', { name: 'Who may register under it' });
  await field(page, 'Add somebody').fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('Nobody here has this email address.').waitFor();
  await field(page, 'Add somebody').fill(bea.email);
  await page.keyboard.press('Enter');
  await members.getByRole('listitem').filter({ hasText: 'Member' }).waitFor();
  expect(await field(page, 'Add somebody').inputValue()).toBe('');
  await press(page, `Remove ${beasName}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await ada.client.getMark({ markId: id })).members.length).toBe(1);
  await press(page, `Remove ${beasName}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await members.getByRole('listitem').filter({ hasText: 'Member' }).waitFor({ state: 'detached' });
  expect((await ada.client.getMark({ markId: id })).members).toEqual([]);
});

test('a token that expires while a form is filled in costs nothing that was typed', async () => {
  const page = await openPage(at('/dashboard/marks'), { token: ada.token, expected: REFUSED });
  await field(page, 'Name').fill('Typed before');
  await page.route('**/api/**', async (route) => {
    const isOld = (await route.request().headerValue('authorization')) === `Bearer ${ada.token}`;
    if (!isOld) return route.continue();
    await route.fulfill({ status: 401, json: { error: 'The token is not valid.', code: 'UNAUTHORIZED' } });
  });
  await press(page, 'Make the Mark');
  const dialog = page.getByRole('dialog', { name: 'Log in to go on' });
  await dialog.waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await field(page, 'Name').inputValue()).toBe('Typed before');
  await press(page, 'Make the Mark');
  await heading(page, 'Typed before');
});

test('an organization gets places, members and admins, and is frozen when its owner leaves the tier', async () => {
  const beasName = (await bea.client.getMe()).user.name;
  const { client, token } = await createRegistrant(service.url);
  const page = await openPage(at('/dashboard/organizations'), { token, expected: REFUSED });
  await field(page, 'Name').fill(MARKUP);
  await page.keyboard.press('Enter');
  await heading(page, MARKUP);
  await page.getByText('There is no free place.').waitFor();
  await field(page, "Places beside the owner's").fill('2');
  await page.keyboard.press('Enter');
  await places(page, '1 of 3');
  await field(page, 'Add somebody').fill(bea.email);
  await page.keyboard.press('Enter');
  await places(page, '2 of 3');
  await press(page, `Make admin: ${beasName}`);
  await page.getByText('Admin: may make Marks').waitFor();
  await field(page, "Places beside the owner's").fill('0');
  await page.keyboard.press('Enter');
  await page.getByText('1 place is taken. Remove members first, or enter more.').waitFor();
  await press(page, `Remove ${beasName}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await places(page, '1 of 3');

  const [organization] = await client.listOrganizations();
  await client.createMark({ name: 'Of the studio', organizationId: organization?.id });
  await page.getByRole('link', { name: 'Account' }).click();
  await press(page, 'Choose Creator');
  const dialog = page.getByRole('dialog', { name: 'Leave the Enterprise tier?' });
  await dialog.getByRole('button', { name: 'Choose Creator' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Creator' }).getByText('You are on this tier').waitFor();
  for (const name of ['Overview', 'Organizations', 'API keys', 'Register']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    if (name === 'Register') await field(page, 'Register under').selectOption('Of the studio');
    await page
      .getByText(/frozen/i)
      .first()
      .waitFor();
  }
});

test('a key is shown once and works; revoking it takes a yes', async () => {
  await ada.client.createOrganization({ name: 'Studio' });
  const page = await openPage(at('/dashboard/keys'), { token: ada.token });
  await field(page, 'What it is for').fill(MARKUP);
  await page.keyboard.press('Enter');
  const token = (await page.locator('.secret').textContent()) ?? '';
  const machine = createClient({ baseUrl: service.url, credential: token });
  expect((await machine.listApiKeys()).map(({ name }) => name)).toEqual([MARKUP]);
  await page.reload();
  await page.getByText(`${token.slice(0, 12)}…${token.slice(-4)}`).waitFor();
  expect(await page.locator('body').textContent()).not.toContain(token);
  await press(page, `Revoke ${MARKUP}`);
  await press(page, 'Revoke the key');
  await page.getByText('There is no key yet.').waitFor();
  await expect(machine.listApiKeys()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('limits are meters with the time of their reset, and another tier is chosen in one step', async () => {
  const { client, token } = await createRegistrant(service.url);
  await client.putSubscription({ tier: 'free' });
  const page = await openPage(at('/dashboard'), { token });
  const meter = page.getByRole('meter', { name: 'Files today' });
  expect(await meter.evaluate((element) => [element.value, element.max])).toEqual([0, 25]);
  await page.getByText(/Begins anew at .* at 00:00/).waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText('500 files a day, 25,000 in all').waitFor();
  await press(page, 'Choose Creator');
  await page.getByRole('region', { name: 'Creator' }).getByText('You are on this tier').waitFor();
  expect((await client.getMe()).user.tier).toBe('creator');
});

test.each(themes)('every page of the dashboard has no fault in %s, and fits on a phone', async (theme) => {
  const page = await openPage(at('/login'), { theme, size: 'phone' });
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await heading(page, 'Sign up');
  await press(page, 'Sign up');
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.goBack();
  await heading(page, 'Log in');
  await logIn(page, ada.email);
  await heading(page, 'Welcome');
  const tabs = page.getByRole('navigation', { name: 'Dashboard' });
  for (const name of ['Overview', 'Register', 'Marks', 'Organizations', 'API keys', 'Account']) {
    await tabs.getByRole('link', { name }).click();
    await page.waitForLoadState('networkidle');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
  for (const path of ['marks', 'organizations']) {
    await page.goto(at(`/dashboard/${path}`));
    await page.getByRole('listitem').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
});
