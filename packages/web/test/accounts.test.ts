// The account in a real browser: verification, password reset, second factor, sessions, export and closing, with a real
// mail server.

import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startMailServer } from '../../../test/support/mailServer.js';
import { call, signUp, startService } from '../../../test/support/service.js';
import { startProvider } from '../../server/test/support/openidProvider.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';

const mail = await startMailServer();
const provider = await startProvider();
afterAll(() => provider.stop());
const service = await startService({ ...mail.settings, ...provider.settings });

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'staple battery horse';
const COMMON_PASSWORD = '1234567890';
/** What browsers log when a request fails. */
const FAILED_REQUEST = /Failed to load resource/;
/** The narrowest screen that WCAG asks for. */
const NARROW = { width: 320, height: 640 };

const at = (path: string) => `${service.url}${path}`;
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor();
const text = (page: Page, shown: string | RegExp) => page.getByText(shown).first().waitFor();
const isTokenValid = async (token: string) => (await call(service, 'GET', '/api/v1/me', { token })).status === 200;

/** Submits with the keyboard alone. */
async function submit(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
  await page.keyboard.press('Enter');
}

/** What the field's error says; the focus is in that field. */
async function fieldError(page: Page, name: string): Promise<string | null> {
  const id = await field(page, name).getAttribute('id');
  const error = page.locator(`[id="${id}-error"]`);
  await error.filter({ hasText: /./ }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(id);
  return error.textContent();
}

/** The page is accessible, and fits on the narrowest screens. */
async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectFits(page);
}

async function expectFits(page: Page): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  await expectNoSidewaysScroll(page);
  if (size) await page.setViewportSize(size);
}

/** Changes the last character but one: the last one may carry unused bits. */
const changeCharacter = (link: string) => `${link.slice(0, -2)}${link.at(-2) === 'A' ? 'B' : 'A'}${link.at(-1)}`;

/** Mails may arrive in any order. */
async function mailedLink(address: string, path: string): Promise<string> {
  const { link } = await mail.nextMail(address);
  return new URL(link).pathname === path ? link : mailedLink(address, path);
}

async function logInByApi(email: string, userAgent: string, password = PASSWORD): Promise<string> {
  const headers = { 'user-agent': userAgent };
  const { body } = await call(service, 'POST', '/api/v1/auth/login', { body: { email, password }, headers });
  return body.token;
}

test('a new user signs up from the header, and verifies the address with the mailed link', async () => {
  const email = 'grace@example.com';
  const page = await openPage(at('/'), { expected: FAILED_REQUEST });
  await page.getByRole('banner').getByRole('link', { name: 'Sign up' }).click();
  await submit(page, { 'Your name': 'Grace', 'Email address': email, Password: COMMON_PASSWORD });
  expect(await fieldError(page, 'Password')).toMatch(/among the most common/);
  await submit(page, { Password: PASSWORD });
  await text(page, 'Verify your email address');
  await expectUsable(page);
  await press(page, 'Send again');
  await text(page, `Another mail to ${email} is on its way.`);
  const link = await mailedLink(email, '/verify-email');
  await page.goto(changeCharacter(link));
  await text(page, /This link is not valid/);
  await page.goto('about:blank');
  await page.goto(link);
  await text(page, 'Your email address is verified.');
  expect(page.url()).toBe(at('/verify-email'));
  expect(service.output().log).not.toContain(new URL(link).hash.slice(1));
  await expectUsable(page);
  await follow(page, 'Continue to the dashboard');
  await heading(page, 'Welcome, Grace');
  expect(await page.getByText('Verify your email address').count()).toBe(0);
  await page.goto(link);
  await text(page, /This link is not valid/);
  await expectFits(page);
});

test('a forgotten password is replaced with the mailed link, which logs out everywhere', async () => {
  const { email, token } = await signUp(service);
  const page = await openPage(at('/login'), { expected: FAILED_REQUEST, theme: 'dark' });
  await follow(page, 'Forgot password?');
  await expectUsable(page);
  await submit(page, { 'Email address': email });
  await text(page, `If ${email} has an account, a mail with a link is on its way.`);
  await expectFits(page);
  const link = await mailedLink(email, '/reset-password');
  await page.goto(changeCharacter(link));
  await submit(page, { 'New password': NEW_PASSWORD });
  await text(page, 'This link is not valid');
  expect(await isTokenValid(token)).toBe(true);
  await page.goto('about:blank');
  await page.goto(link);
  await submit(page, { 'New password': COMMON_PASSWORD });
  expect(await fieldError(page, 'New password')).toMatch(/among the most common/);
  expect(page.url()).toBe(at('/reset-password'));
  await expectUsable(page);
  await submit(page, { 'New password': NEW_PASSWORD });
  await text(page, 'Your password is changed. Log in with the new one.');
  expect(await isTokenValid(token)).toBe(false);
  await submit(page, { 'Email address': email, Password: NEW_PASSWORD });
  await heading(page, 'Welcome');
  expect(await page.getByText('Your password is changed.').count()).toBe(0);
  await page.goto(link);
  await submit(page, { 'New password': PASSWORD });
  await text(page, 'This link is not valid');
  await expectFits(page);
});

test('a second factor is set up with an app, asked for at every log-in, and removed', async () => {
  const { email, token } = await signUp(service);
  const page = await openPage(at('/dashboard/account/second-factor'), {
    token,
    expected: FAILED_REQUEST,
  });
  await submit(page, { 'Current password': PASSWORD.slice(0, -1) });
  expect(await fieldError(page, 'Current password')).toBe('Wrong password.');
  await expectUsable(page);
  await submit(page, { 'Current password': PASSWORD });
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await expectUsable(page);
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  const app = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  await submit(page, { Code: '000000' });
  expect(await fieldError(page, 'Code')).toMatch(/Wrong code/);
  await submit(page, { Code: app.generate() });
  await heading(page, 'Save your recovery codes');
  const recoveryCodes = await page.locator('li:has(> code)').allTextContents();
  expect(new Set(recoveryCodes).size).toBe(10);
  const downloading = page.waitForEvent('download');
  await press(page, 'Download');
  expect(await readFile(await (await downloading).path(), 'utf8')).toContain(recoveryCodes.join('\n'));
  await expectUsable(page);
  await press(page, 'I have saved them');
  await press(page, 'Remove second factor');
  await page.keyboard.press('Escape');

  await follow(page, 'Profile');
  await press(page, 'Log out');
  await text(page, 'You are logged out.');
  expect(await isTokenValid(token)).toBe(false);
  await page.getByRole('banner').getByRole('link', { name: 'Log in' }).click();
  await submit(page, { 'Email address': email, Password: PASSWORD });
  await submit(page, { 'Code of your authenticator app': '000000' });
  expect(await fieldError(page, 'Code of your authenticator app')).toBe('Wrong code.');
  await expectUsable(page);
  await press(page, 'Back');
  expect(await field(page, 'Email address').inputValue()).toBe(email);
  await submit(page, { Password: PASSWORD });
  // A code works once: of the next step, because that of the current one confirmed the second factor.
  await submit(page, { 'Code of your authenticator app': app.generate({ timestamp: Date.now() + 30_000 }) });
  await heading(page, 'Welcome');

  await follow(page, 'Account');
  await field(page, 'Your name').fill('Half-filled');
  const others = await page.evaluate<string>("localStorage.getItem('provenance-token')");
  await call(service, 'DELETE', '/api/v1/me/sessions', { token: others });
  await press(page, 'Save');
  const dialog = page.getByRole('dialog', { name: 'Log in to continue' });
  await dialog.waitFor();
  await submit(page, { Password: PASSWORD });
  await press(page, 'Use a recovery code');
  await expectUsable(page);
  await submit(page, { 'Recovery code': recoveryCodes[0]?.toUpperCase() ?? '' });
  await dialog.waitFor({ state: 'detached' });
  expect(await field(page, 'Your name').inputValue()).toBe('Half-filled');
  await press(page, 'Save');
  await text(page, 'Saved.');

  await follow(page, 'Second factor');
  await press(page, 'Remove second factor');
  const removal = page.getByRole('dialog', { name: 'Remove the second factor?' });
  await expectUsable(page);
  await submit(page, { 'Current password': PASSWORD });
  await removal.waitFor({ state: 'detached' });
  await heading(page, 'Set up a second factor');
  expect((await call(service, 'POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } })).status).toBe(200);
});

test('another email address takes effect with the link that is mailed to it', async () => {
  const { email, token } = await signUp(service);
  const other = `new-${email}`;
  const page = await openPage(at('/dashboard/account/email'), { token, expected: FAILED_REQUEST, theme: 'dark' });
  await text(page, 'Not verified');
  await submit(page, { 'New email address': email, 'Current password': PASSWORD });
  expect(await fieldError(page, 'New email address')).toBe('This is your current email address.');
  await submit(page, { 'New email address': other, 'Current password': 'not the password' });
  expect(await fieldError(page, 'Current password')).toBe('Wrong password.');
  await submit(page, { 'Current password': PASSWORD });
  await text(page, `Open the link that is sent to ${other} to complete the change.`);
  await expectUsable(page);
  expect((await call(service, 'GET', '/api/v1/me', { token })).body.user.email).toBe(email);
  await page.goto(await mailedLink(other, '/verify-email'));
  await text(page, 'Your email address is verified.');
  await follow(page, 'Continue to the dashboard');
  await follow(page, 'Account');
  await follow(page, 'Email address');
  await text(page, other);
  await page.getByText('Verified', { exact: true }).waitFor();
  await expectFits(page);
});

test('sessions are listed by device and ended; another password ends the others', async () => {
  const { email, token } = await signUp(service);
  const [phone, script, forgotten] = await Promise.all([
    logInByApi(email, 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Mobile Safari/604.1'),
    logInByApi(email, 'curl/8.5.0'),
    logInByApi(email, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
  ]);
  const page = await openPage(at('/dashboard/account/sessions'), { token, expected: FAILED_REQUEST });
  const items = page.getByRole('main').getByRole('listitem');
  await items.filter({ hasText: 'Safari on iPhone' }).waitFor();
  expect(await items.first().textContent()).toContain('This session');
  await expectUsable(page);
  await press(page, 'End curl 8.5.0');
  await press(page, 'End session');
  await items.filter({ hasText: 'curl' }).waitFor({ state: 'detached' });
  expect(await Promise.all([script, phone, token].map(isTokenValid))).toEqual([false, true, true]);

  await press(page, 'Log out everywhere else');
  await page.getByRole('dialog').getByRole('button', { name: 'Log out everywhere else' }).click();
  await items.filter({ hasText: 'Safari on iPhone' }).waitFor({ state: 'detached' });
  expect(await Promise.all([phone, forgotten, token].map(isTokenValid))).toEqual([false, false, true]);

  const other = await logInByApi(email, 'curl/8.5.0');
  await follow(page, 'Password');
  await submit(page, { 'Current password': 'not the password', 'New password': NEW_PASSWORD });
  expect(await fieldError(page, 'Current password')).toBe('Wrong password.');
  await submit(page, { 'Current password': PASSWORD, 'New password': COMMON_PASSWORD });
  expect(await fieldError(page, 'New password')).toMatch(/among the most common/);
  await expectUsable(page);
  await submit(page, { 'New password': NEW_PASSWORD });
  await text(page, 'Changed.');
  expect(await Promise.all([other, token].map(isTokenValid))).toEqual([false, true]);
  expect(await logInByApi(email, 'curl/8.5.0', NEW_PASSWORD)).toEqual(expect.any(String));
});

test('logging out works while the service cannot be reached, and says that the session may live on', async () => {
  const { token } = await signUp(service);
  const page = await openPage(at('/dashboard/account'), { token, expected: /./, theme: 'dark' });
  await field(page, 'Your name').waitFor();
  await page.context().setOffline(true);
  await press(page, 'Log out');
  await text(page, /the service could not be reached to end the session/);
  expect(await page.evaluate("localStorage.getItem('provenance-token')")).toBe(null);
  await page.context().setOffline(false);
  await expectFits(page);
  expect(await isTokenValid(token)).toBe(true);
});

test('data are exported to a file; closing the account says what stays and asks twice', async () => {
  const { email, token } = await signUp(service);
  const page = await openPage(at('/dashboard/account/data'), { token, expected: FAILED_REQUEST });
  const downloading = page.waitForEvent('download');
  await press(page, 'Export data');
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^provenance-export-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({ user: { email }, artifacts: [] });

  await press(page, 'Close account …');
  const dialog = page.getByRole('dialog', { name: 'Close your account?' });
  await dialog.getByText(/Files that you registered/).waitFor();
  await expectUsable(page);
  const confirmation = 'Type “close my account” to confirm';
  await submit(page, { 'Current password': PASSWORD, [confirmation]: 'close my accoun' });
  expect(await fieldError(page, confirmation)).toBe('Type “close my account”.');
  await submit(page, { 'Current password': PASSWORD.toUpperCase(), [confirmation]: 'Close my account' });
  expect(await fieldError(page, 'Current password')).toBe('Wrong password.');
  await expectFits(page);
  expect(await isTokenValid(token)).toBe(true);
  await submit(page, { 'Current password': PASSWORD });
  await text(page, 'Your account is closed.');
  await page.getByRole('banner').getByRole('link', { name: 'Log in' }).click();
  await submit(page, { 'Email address': email, Password: PASSWORD });
  await text(page, 'Wrong email or password.');
});

test('a user of an OpenID provider is told where the password is, and closes the account without one', async () => {
  const token = await provider.issue('ES256');
  const page = await openPage(at('/dashboard/account/password'), { token, expected: FAILED_REQUEST });
  await submit(page, { 'Current password': PASSWORD, 'New password': NEW_PASSWORD });
  await text(page, /Your account belongs to an OpenID provider and has no password here\./);
  await expectFits(page);

  await page.goto(at('/dashboard/account/data'));
  await press(page, 'Close account …');
  const dialog = page.getByRole('dialog', { name: 'Close your account?' });
  const confirmation = 'Type “close my account” to confirm';
  await dialog.getByLabel(confirmation).waitFor();
  expect(await dialog.getByLabel('Current password').count()).toBe(0);
  await expectFits(page);
  await submit(page, { [confirmation]: 'close my account' });
  await text(page, 'Your account is closed.');
  expect(await isTokenValid(token)).toBe(false);
});
