// Mail that users have sent to strangers: by whom, to how many, what it says, and the link that stops it. With a real mail
// server.

import { DAILY_NEW_ADDRESSES } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createOrganization, statusAndCode, type Tier } from '../../../../test/support/accounts.js';
import { type Registry, startRegistry, withoutChain } from '../../../../test/support/artifacts.js';
import { type MailServer, startMailServer, type TestMail, verifyAddress } from '../../../../test/support/mailServer.js';
import { query } from '../../../../test/support/postgres.js';
import { call, signUp } from '../../../../test/support/service.js';

const LIMIT = DAILY_NEW_ADDRESSES.free;

let service: Registry;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  service = await startRegistry({ ...mail.settings, ...(await withoutChain()) });
});

let addressCount = 0;
/** A mailbox that no account and no test has used. */
function newMailbox(): string {
  addressCount += 1;
  return `stranger-${addressCount}`;
}
const newAddress = () => `${newMailbox()}@example.com`;

async function createSender({ isVerified = true, tier = 'free', name = 'Ada' }: Partial<Sender> = {}) {
  const user = await signUp(service, { name });
  if (isVerified) await verifyAddress(service, mail, user.email);
  if (tier !== 'free') await call(service, 'PUT', '/api/v1/subscription', { token: user.token, body: { tier } });
  const { body } = await createMark(service, user, { name: 'Portraits' });
  return { ...user, path: `/api/v1/marks/${body.id}/invitations` };
}

interface Sender {
  readonly isVerified: boolean;
  readonly tier: Tier;
  readonly name: string;
}

const invite = ({ token, path }: { readonly token: string; readonly path: string }, email?: string) =>
  call(service, 'POST', path, { token, body: { email } });

/** Resolves when nothing is left to be sent: a mail that is not there by now does not arrive. */
async function waitUntilAllSent(): Promise<void> {
  const waiting = () => query(service.databaseUrl, 'select id from mails where sent_at is null');
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([]);
}

const count = (addresses: readonly string[]) => addresses.reduce((sum, address) => sum + mail.count(address), 0);

function readStopLink({ raw, text }: TestMail): string {
  const [, url = ''] = /^List-Unsubscribe:\s*<([^>]+)>/im.exec(raw) ?? [];
  expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/im);
  expect(text).toContain(`Stop mail like this to your address:\n${url}\n`);
  expect(url).toMatch(new RegExp(`^${service.url}/stop-mail/[\\w-]{48}$`));
  return url;
}

/** As mail programs do (RFC 8058): no cookies, and nobody reads the page. */
const oneClick = (url: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });

const openPage = async (url: string) => {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  return { status: response.status, headers: response.headers, html: await response.text() };
};

/** Presses the only button of the page, as a browser without JavaScript does. */
async function pressButton(html: string): Promise<string> {
  const [, action = '', label = ''] =
    /<form method="post" action="([^"]+)"><button>([^<]+)<\/button><\/form>/.exec(html) ?? [];
  const response = await fetch(service.url + action, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([label, response.status]).toEqual([label, 200]);
  return response.text();
}

describe('An account', () => {
  it('whose address is not verified has no invitation mailed, whatever it tries', async () => {
    const sender = await createSender({ isVerified: false });
    const mailboxes = Array.from({ length: 130 }, newMailbox);
    const addresses = mailboxes.map((mailbox, index) => `${mailbox}${index % 2 ? '+tag' : ''}@example.com`);
    const responses = await Promise.all(addresses.map((email) => invite(sender, email)));
    for (const response of responses) expect(statusAndCode(response)).toEqual([403, 'FORBIDDEN']);
    expect(responses[0]?.body.error).toContain('Verify your own email address');
    expect((await call(service, 'GET', sender.path, sender)).body).toEqual([]);
    expect((await invite(sender)).status).toBe(201);
    await waitUntilAllSent();
    expect(count(addresses)).toBe(0);

    const enterprise = await createSender({ isVerified: false, tier: 'enterprise' });
    const organizationId = await createOrganization(service, enterprise, 2);
    const path = `/api/v1/organizations/${organizationId}/invitations`;
    expect(statusAndCode(await invite({ ...enterprise, path }, newAddress()))).toEqual([403, 'FORBIDDEN']);
  });

  it(`on free has invitations mailed to ${LIMIT} new addresses a day, also when it asks for all at once`, async () => {
    const sender = await createSender();
    const addresses = Array.from({ length: 3 * LIMIT }, newAddress);
    const responses = await Promise.all(addresses.map((email) => invite(sender, email)));
    const invited = addresses.filter((_, index) => responses[index]?.status === 201);
    expect(invited).toHaveLength(LIMIT);
    const refused = responses.filter(({ status }) => status !== 201);
    for (const response of refused) expect(statusAndCode(response)).toEqual([403, 'TIER_RESTRICTION']);
    expect(refused[0]?.body.error).toMatch(
      /20 new addresses a day\. Try again after \d{4}-\d\d-\d\dT00:00:00\.000Z\.$/,
    );
    expect((await call(service, 'GET', sender.path, sender)).body).toHaveLength(LIMIT);
    await waitUntilAllSent();
    expect(addresses.filter((address) => mail.count(address) > 0).sort()).toEqual(invited.toSorted());

    // An address is new once, in any spelling and with any tag.
    const [known = ''] = invited;
    for (const email of [known, known.toUpperCase(), known.replace('@', '+again@'), known.replace('@', '+x+y@')]) {
      expect([email, (await invite(sender, email)).status]).toEqual([email, 201]);
    }
    expect((await invite(sender)).status).toBe(201);
    // Others have their own.
    expect((await invite(await createSender(), newAddress())).status).toBe(201);

    await query(service.databaseUrl, 'update daily_budgets set day = day - 1 where owner_id = $1', [sender.id]);
    expect((await invite(sender, newAddress())).status).toBe(201);
    const paying = await createSender({ tier: 'creator' });
    const many = await Promise.all(Array.from({ length: LIMIT + 5 }, () => invite(paying, newAddress())));
    expect(many.filter(({ status }) => status === 201)).toHaveLength(LIMIT + 5);
  });

  it('counts no address whose invitation was refused for another reason', async () => {
    const sender = await createSender();
    const stranger = await createSender();
    for (let attempt = 0; attempt < LIMIT; attempt += 1) {
      expect((await invite({ ...stranger, path: sender.path }, newAddress())).status).toBe(403);
    }
    expect((await invite(stranger, newAddress())).status).toBe(201);
  });

  it('cannot have a mailbox flooded by tags', async () => {
    const sender = await createSender();
    const mailbox = newMailbox();
    const addresses = Array.from({ length: 9 }, (_, tag) => `${mailbox}+${tag}@example.com`);
    for (const email of addresses) expect((await invite(sender, email)).status).toBe(201);
    await waitUntilAllSent();
    expect(count(addresses)).toBe(5);
  });

  it('can be changed to three new addresses a day', async () => {
    const sender = await createSender({ isVerified: false });
    const change = (email: string) =>
      call(service, 'PUT', '/api/v1/me/email', {
        token: sender.token,
        body: { email, password: 'correct horse battery' },
      });
    const [first, ...others] = Array.from({ length: 6 }, newAddress);
    const statuses: number[] = [];
    for (const email of [first ?? '', ...others]) statuses.push((await change(email)).status);
    expect(statuses).toEqual([202, 202, 202, 403, 403, 403]);
    expect(statusAndCode(await change(newAddress()))).toEqual([403, 'TIER_RESTRICTION']);
    expect((await change(first ?? '')).status).toBe(202);
    await waitUntilAllSent();
    expect(count([first ?? '', ...others])).toBe(3);
  });
});

describe('An invitation by mail', () => {
  it('has a fixed subject and heading, and quotes names as untrusted text', async () => {
    const name = 'Your bank” (security.bank.example/login) call ada＠bank。example “';
    const sender = await createSender({ name });
    const longName = `${'Mark of a long name, '.repeat(5)}end`;
    await query(service.databaseUrl, 'update marks set name = $2 where id = $1', [sender.path.split('/')[4], longName]);
    const invited = newAddress();
    const { body } = await invite(sender, invited);
    const message = await mail.nextMail(invited);
    expect(message.subject).toBe('You are invited to a Mark');
    expect(message.html).toContain('>You are invited to a Mark</h1>');
    const quoted = message.text.match(/“[^”]*”/g) ?? [];
    expect(quoted.map((text) => text.replaceAll('\u200B', ''))).toEqual([
      `“${longName.slice(0, 59)}…”`,
      '“Your bank’ (security.bank.example/login) call ada＠bank。exam…”',
    ]);
    // Nothing in the quotation is an address of its own: each separator is followed by a space of no width.
    for (const text of [message.text, message.html]) {
      for (const part of text.match(/“[^”]*”/g) ?? []) expect(part).not.toMatch(/[.:/@＠。][^\s\u200B”…]/u);
    }
    expect(message.link).toBe(body.url);
    readStopLink(message);
  });
});

describe('The link in mail to strangers', () => {
  it('stops further mail with one click, for all tags of the address, and tells no sender', async () => {
    const [sender, other] = [await createSender(), await createSender()];
    const mailbox = newMailbox();
    const address = `${mailbox}@example.com`;
    const before = await invite(sender, address);
    const url = readStopLink(await mail.nextMail(address));
    const stopped = await oneClick(url);
    expect([stopped.status, stopped.redirected, await stopped.text()]).toEqual([
      200,
      false,
      expect.stringContaining('Mail to your address is stopped'),
    ]);
    // Stopping twice changes nothing.
    expect((await oneClick(url)).status).toBe(200);
    const spellings = [address, address.toUpperCase(), `${mailbox}+news@example.com`];
    for (const [index, email] of spellings.entries()) {
      const after = await invite(index === 0 ? sender : other, email);
      const anonymous = { id: '', token: '', url: '', expiresAt: '', email: '' };
      expect([after.status, { ...after.body, ...anonymous }]).toEqual([201, { ...before.body, ...anonymous }]);
    }
    expect((await call(service, 'GET', sender.path, sender)).body).toHaveLength(2);
    await waitUntilAllSent();
    expect(count([address, `${mailbox}+news@example.com`])).toBe(1);
    const rows = await query<{ address_hash: Buffer }>(service.databaseUrl, 'select address_hash from mail_stops');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.address_hash).toHaveLength(20);

    // The account with this address can accept it without mail.
    await query(service.databaseUrl, 'delete from mail_stops');
  });

  it('opens a page that works without JavaScript, and is not taken by what only reads it', async () => {
    const sender = await createSender();
    const address = newAddress();
    await invite(sender, address);
    const url = readStopLink(await mail.nextMail(address));
    const { status, headers, html } = await openPage(url);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain('<h1>Stop mail to your address</h1>');
    expect(html).not.toMatch(/<script|<link|<img|https?:/);
    expect(html).not.toContain(address);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect(await query(service.databaseUrl, 'select 1 from mail_stops')).toEqual([]);

    const stoppedPage = await pressButton(html);
    expect(stoppedPage).toContain('Mail to your address is stopped');
    await invite(sender, address);
    await waitUntilAllSent();
    expect(mail.count(address)).toBe(1);
    // Later, and again.
    const { html: later } = await openPage(url);
    expect(later).toContain('Mail to your address has been stopped');
    expect(await pressButton(later)).toContain('Mail to your address is allowed again');
    await invite(sender, address);
    expect((await mail.nextMail(address)).subject).toBe('You are invited to a Mark');
  });

  it('is not one that others can make up', async () => {
    const address = newAddress();
    await invite(await createSender(), address);
    const url = readStopLink(await mail.nextMail(address));
    const token = url.slice(url.lastIndexOf('/') + 1);
    const other = (character = '') => (character === 'A' ? 'B' : 'A');
    const tokens = [
      '',
      'x',
      token.slice(0, -1),
      `${token}A`,
      other(token[0]) + token.slice(1),
      token.slice(0, -1) + other(token.at(-1)),
      token.slice(0, 27) + other(token[27]) + token.slice(28),
      `${token}=`,
      token.toLowerCase(),
      '%00',
      'A'.repeat(48),
      '<script>alert(1)</script>',
    ];
    for (const wrong of tokens) {
      for (const path of ['stop-mail', 'allow-mail']) {
        const { status } = await oneClick(`${service.url}/${path}/${wrong}`);
        expect([wrong, path, status]).toEqual([wrong, path, 404]);
      }
      const { status, html } = await openPage(`${service.url}/stop-mail/${wrong}`);
      expect([wrong, status]).toEqual([wrong, 404]);
      expect(html).not.toContain('<script>');
    }
    expect((await oneClick(`${service.url}/stop-mail/${'x'.repeat(2_000)}`)).status).toBe(404);
    expect(await query(service.databaseUrl, 'select 1 from mail_stops')).toEqual([]);
  });

  it('is in links for accounts whose address was never verified, and stops them; not in mail to verified ones', async () => {
    const stranger = await signUp(service);
    const url = readStopLink(await mail.nextMail(stranger.email));
    const reset = (email: string) => call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } });
    await reset(stranger.email);
    expect(readStopLink(await mail.nextMail(stranger.email))).toBe(url);
    await oneClick(url);
    expect((await call(service, 'POST', '/api/v1/me/email/verification', stranger)).status).toBe(202);
    const [mailbox = ''] = stranger.email.split('@');
    const second = await signUp(service, { email: `${mailbox}+second@example.com` });
    await waitUntilAllSent();
    expect(count([stranger.email, second.email])).toBe(2);

    const verified = await createSender();
    await reset(verified.email);
    expect((await mail.nextMail(verified.email)).raw).not.toMatch(/^List-Unsubscribe/im);
    await query(service.databaseUrl, 'delete from mail_stops');
  });
});
