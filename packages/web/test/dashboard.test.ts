// Accounts, Marks, organizations, API keys and tiers on the dashboard, with a real browser and service.

import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { createClient } from '../../client/src/index.js';
import { expectAccessible, openPage } from './support/browser.js';
import { expectTabsUsable } from './support/dashboard.js';

const service = await startService();
const PASSWORD = 'correct horse battery';
/** What browsers log when a request fails. */
const FAILED_REQUEST = /Failed to load resource/;
const MARKUP = '<img src=x onerror=alert(1)> & "quotes"';

const ada = await createRegistrant(service.url);

const at = (path: string) => `${service.url}${path}`;
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const untilUsageUnits = (page: Page, text: string) =>
  page.locator('span[id] + span').filter({ hasText: text }).waitFor();
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /./ }).allTextContents();

async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await field(page, 'Email address').fill(email);
  await field(page, 'Password').fill(password);
  await page.keyboard.press('Enter');
}

test('signing up leads to the requested page; errors are beside their fields', async () => {
  const page = await openPage(at('/dashboard/organizations'), { expected: FAILED_REQUEST });
  await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click();
  await heading(page, 'Sign up');
  await press(page, 'Sign up');
  await expect
    .poll(() => alerts(page))
    .toEqual(['Enter a name.', 'Enter an email address.', 'Use at least 10 characters.']);
  expect(await page.evaluate('document.activeElement.name')).toBe('name');
  await field(page, 'Your name').fill(MARKUP);
  await logIn(page, ada.email, 'short');
  await expect.poll(() => alerts(page)).toEqual(['Use at least 10 characters.']);
  await logIn(page, ada.email);
  await page.getByText('This email address already has an account. Log in instead.').waitFor();
  await press(page, 'Show password');
  expect(await field(page, 'Password').getAttribute('type')).toBe('text');
  await logIn(page, `${randomUUID()}@example.com`);
  await heading(page, 'Organizations');
  await page.getByRole('link', { name: 'Overview' }).click();
  await heading(page, `Welcome, ${MARKUP}`);
  await heading(page, 'Register your first file');
});

test('logging in leads to the requested page, on this site only', async () => {
  const page = await openPage(at(`/login?next=${encodeURIComponent('//elsewhere.example/dashboard')}`), {
    expected: FAILED_REQUEST,
  });
  await logIn(page, ada.email, 'not the password');
  await page.getByText('Wrong email or password.').waitFor();
  await logIn(page, ada.email);
  await heading(page, 'Welcome, Ada');
  expect(page.url()).toBe(at('/dashboard'));
});

test('a service that sends no mail asks for no verification, and leads from a forgotten password to its operator', async () => {
  const { token } = await createRegistrant(service.url);
  const page = await openPage(at('/dashboard/account/email'), { token, expected: FAILED_REQUEST });
  await page.getByText('Not verified').waitFor();
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  await field(page, 'New email address').fill(ada.email);
  await field(page, 'Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(/This email address already has an account\./).waitFor();
  const email = `${randomUUID()}@example.com`;
  await field(page, 'New email address').fill(email);
  await page.keyboard.press('Enter');
  await page.getByText('Changed.').waitFor();
  await page.getByText(email).waitFor();
  await page.goto(at('/forgot-password'));
  await field(page, 'Email address').fill(email);
  await page.keyboard.press('Enter');
  await page.getByText('Ask its operator for a link that sets a new password.').waitFor();
  await expectAccessible(page);
});

test('an expired session leads to the log-in page and back', async () => {
  const page = await openPage(at('/dashboard/keys'), { token: 'not.a.token', expected: FAILED_REQUEST });
  await page.getByText('Your session has expired.').waitFor();
  await logIn(page, ada.email);
  await heading(page, 'API keys');
});

test('logging in and out in one tab affects the others', async () => {
  const first = await openPage(at('/login'));
  const second = await first.context().newPage();
  await second.goto(at('/login'));
  await logIn(first, ada.email);
  await heading(second, 'Welcome, Ada');
  await second.getByRole('link', { name: 'Account' }).click();
  await press(second, 'Log out');
  await heading(first, 'Log in');
});

test('a Mark is created with the chosen values; what the tier lacks is explained', async () => {
  const email = `${randomUUID()}@example.com`;
  const { token } = await createClient({ baseUrl: service.url }).signUp({ email, password: PASSWORD, name: MARKUP });
  const client = createClient({ baseUrl: service.url, credential: token });
  const page = await openPage(at('/dashboard/marks'), { token });
  await page.getByText('Upgrade to the Creator tier to use private Marks.').waitFor();
  expect(await page.getByRole('radio', { name: /^Private/ }).isDisabled()).toBe(true);
  await press(page, 'Create Mark');
  await expect.poll(() => alerts(page)).toEqual(['Enter a name.']);
  await field(page, 'Name').fill(MARKUP);
  await field(page, 'License').selectOption('CC-BY-NC-4.0');
  await page.getByText('for noncommercial purposes.').waitFor();
  // As through the API.
  expect(await page.getByRole('radio', { name: /^Allowed/ }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: /^Different for each use/ }).check();
  await field(page, 'AI inference').selectOption('Not specified');
  await field(page, 'Generative AI training').selectOption('Allowed under conditions only');
  await expectAccessible(page);
  await press(page, 'Create Mark');
  await expect.poll(() => alerts(page)).toEqual(['Enter the conditions.']);
  await field(page, 'Conditions: Generative AI training').fill(MARKUP);
  await press(page, 'Create Mark');
  await heading(page, MARKUP);
  const [mark] = await client.listMarks();
  expect(mark).toMatchObject({
    name: MARKUP,
    licenseKey: 'CC-BY-NC-4.0',
    allowAiTraining: false,
    aiPreferences: {
      data_mining: { use: 'allowed' },
      ai_inference: null,
      ai_training: { use: 'allowed' },
      ai_generative_training: { use: 'constrained', constraint: MARKUP },
    },
    visibility: 'public',
  });
  await page.getByText('Upgrade to the Creator tier to edit Marks.').waitFor();
  await page.getByText('Generative AI training: allowed under conditions only').waitFor();
  for (const name of ['second', 'third']) await client.createMark({ name });
  await page.getByRole('link', { name: 'Marks', exact: true }).click();
  await page.getByText('You have reached the Mark limit of the Free tier.').waitFor();
});

test('the admin of a Mark edits it, and is told what becoming private cannot take back', async () => {
  const { id } = await ada.client.createMark({ name: 'Before', license: 'MIT' });
  const page = await openPage(at(`/dashboard/marks/${id}`), { token: ada.token });
  await field(page, 'Name').fill(MARKUP);
  await page.getByRole('radio', { name: /^Private/ }).check();
  await page.getByRole('radio', { name: /^Not specified/ }).check();
  await press(page, 'Save');
  const dialog = page.getByRole('dialog', { name: 'Make this Mark private?' });
  await dialog.getByText('keep the names of Mark, author and file that were signed').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await ada.client.getMark({ markId: id })).toMatchObject({ name: 'Before', visibility: 'public' });
  await press(page, 'Save');
  await press(page, 'Make private');
  await page.getByText('Saved.').waitFor();
  await heading(page, MARKUP);
  const changed = { name: MARKUP, visibility: 'private', allowAiTraining: null, licenseKey: 'MIT' };
  expect(await ada.client.getMark({ markId: id })).toMatchObject(changed);
  // Nothing is asked about what does not change.
  await field(page, 'Name').fill('After');
  await press(page, 'Save');
  await heading(page, 'After');
  await page.getByRole('radio', { name: /^Public/ }).check();
  await press(page, 'Save');
  await page.getByRole('dialog', { name: 'Make this Mark public?' }).waitFor();
});

test('a session that expires while a form is filled in loses no input', async () => {
  const page = await openPage(at('/dashboard/marks'), { token: ada.token, expected: FAILED_REQUEST });
  await field(page, 'Name').fill('Typed before');
  const held: Route[] = [];
  let isExpired = false;
  await page.route('**/api/**', async (route) => {
    const isOld = (await route.request().headerValue('authorization')) === `Bearer ${ada.token}`;
    // With the form: what the page loads by itself before must not show the dialog too early.
    isExpired ||= route.request().method() === 'POST';
    if (!isExpired) await route.continue();
    else if (isOld)
      await route.fulfill({ status: 401, json: { error: 'The token is not valid.', code: 'UNAUTHORIZED' } });
    else if (route.request().url() === at('/api/v1/me')) held.push(route);
    else await route.continue();
  });
  await press(page, 'Create Mark');
  const dialog = page.getByRole('dialog', { name: 'Log in to continue' });
  await dialog.waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  // Until the account of the new session is loaded, a form would be sent with the old one.
  await expect.poll(() => held.length).toBe(1);
  expect(await dialog.isVisible()).toBe(true);
  await held[0]?.continue();
  await dialog.waitFor({ state: 'detached' });
  expect(await field(page, 'Name').inputValue()).toBe('Typed before');
  await press(page, 'Create Mark');
  await heading(page, 'Typed before');
});

test('an organization has usage units, and is frozen when its owner leaves the tier', async () => {
  const { client, token } = await createRegistrant(service.url);
  const page = await openPage(at('/dashboard/organizations'), { token, expected: FAILED_REQUEST });
  await field(page, 'Name').fill(MARKUP);
  await page.keyboard.press('Enter');
  await heading(page, MARKUP);
  await page.getByText('All usage units are in use.').waitFor();
  await field(page, 'Additional usage units').fill('2');
  await page.keyboard.press('Enter');
  await untilUsageUnits(page, '1 of 3');
  await field(page, 'Invite by email address (optional)').fill('bea@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('This service does not send mail. Send this link to bea@example.com yourself.').waitFor();
  const [organization] = await client.listOrganizations();
  await client.createMark({ name: 'Of the studio', organizationId: organization?.id });
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Tier', exact: true }).click();
  await press(page, 'Choose Creator');
  const dialog = page.getByRole('dialog', { name: 'Leave the Enterprise tier?' });
  await dialog.getByRole('button', { name: 'Choose Creator' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Creator' }).getByText('Current tier').waitFor();
  for (const name of ['Overview', 'Organizations', 'API keys', 'Register']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name }).click();
    if (name === 'Register') await field(page, 'Mark').selectOption('Of the studio');
    await page
      .getByText(/frozen/i)
      .first()
      .waitFor();
  }
});

test('an API key is shown once and works; revoking it needs a confirmation', async () => {
  await ada.client.createOrganization({ name: 'Studio' });
  const page = await openPage(at('/dashboard/keys'), { token: ada.token });
  await field(page, 'Name').fill(MARKUP);
  await page.getByRole('radio', { name: /^Read / }).check();
  await field(page, 'Expires').selectOption('In 30 days');
  await press(page, 'Create key');
  const token = (await page.locator('[data-secret]').textContent()) ?? '';
  const agent = 'build server/1.0';
  const keyClient = createClient({
    baseUrl: service.url,
    credential: token,
    fetch: (address, request) =>
      fetch(address, {
        ...request,
        headers: { ...Object.fromEntries(new Headers(request?.headers)), 'user-agent': agent },
      }),
  });
  const [key] = await keyClient.listApiKeys();
  expect(key).toMatchObject({ name: MARKUP, scope: 'read' });
  const days = (Date.parse(key?.expiresAt ?? '') - Date.now()) / (24 * 60 * 60 * 1000);
  expect(Math.round(days)).toBe(30);
  await expect(keyClient.createMark({ name: 'refused' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  // The service writes uses down after a moment.
  await expect
    .poll(async () => {
      await page.reload();
      const item = page.getByRole('listitem').filter({ hasText: MARKUP });
      await item.waitFor();
      return item.textContent();
    })
    .toMatch(/Read.*Expires .*Last used .* from 127\.0\.0\.1 with build server\/1\.0/);
  await page.getByText(`${token.slice(0, 12)}…${token.slice(-4)}`).waitFor();
  expect(await page.locator('body').textContent()).not.toContain(token);
  await press(page, `Revoke ${MARKUP}`);
  await press(page, 'Revoke key');
  await page.getByText('No API keys yet.').waitFor();
  await expect(keyClient.listApiKeys()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('limits are meters with their reset time, and another tier is chosen in one step', async () => {
  const { client, token, markId } = await createRegistrant(service.url);
  await client.putSubscription({ tier: 'free' });
  const page = await openPage(at('/dashboard'), { token });
  const meter = page.getByRole('meter', { name: 'Files today' });
  expect(await meter.evaluate((element) => [element.value, element.max])).toEqual([0, 25]);
  await page.getByText(/Resets at .* at 00:00/).waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Tier', exact: true }).click();
  await page.getByText('500 files per day, 25,000 in total').waitFor();
  await press(page, 'Choose Creator');
  await page.getByRole('region', { name: 'Creator' }).getByText('Current tier').waitFor();
  expect((await client.getMe()).user.tier).toBe('creator');
  // Only as many usage units as the tier has members.
  const { id } = await client.createOrganization({ name: 'Small' });
  await page.goto(at(`/dashboard/organizations/${id}`));
  await page.getByText('At most 5: the Creator tier allows 5 members in addition to the owner').waitFor();
  await field(page, 'Additional usage units').fill('6');
  await page.keyboard.press('Enter');
  await expect.poll(() => alerts(page)).toEqual([expect.stringMatching(/^At most 5: .* more could not be used\.$/)]);
  // More than the lower tier allows.
  const artifacts = Array.from({ length: 26 }, () => ({ markId, fingerprint: newFingerprint(), filename: 'a.txt' }));
  await client.createArtifacts({ artifacts });
  await page.goto(at('/dashboard/account/tier'));
  await press(page, 'Choose Free');
  const usage = page.getByRole('region', { name: 'Your usage' });
  await usage
    .locator('span[id] + span')
    .filter({ hasText: /^26 of 25$/ })
    .waitFor();
  await usage
    .getByText(/registered under an earlier tier or limit\. .* can be registered after .* at 00:00\.$/)
    .waitFor();
  await usage.getByText('Organizations', { exact: true }).waitFor();
  await expectAccessible(page);
});

test('every page of the dashboard is accessible', async () => {
  const page = await openPage(at('/dashboard'), { token: ada.token });
  await heading(page, 'Welcome');
  await expectTabsUsable(page);
});
