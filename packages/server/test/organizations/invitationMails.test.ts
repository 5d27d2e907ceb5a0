// Mails with invitations: their text, their number, and those that are withdrawn.

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, createUser } from '../../../../test/support/accounts.js';
import { type Registry, startRegistry, withoutChain } from '../../../../test/support/artifacts.js';
import { type MailServer, startMailServer, verifyAddress } from '../../../../test/support/mailServer.js';
import { query } from '../../../../test/support/postgres.js';
import { call, signUp } from '../../../../test/support/service.js';

let service: Registry;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  service = await startRegistry({ ...mail.settings, ...(await withoutChain()) });
});

let addressCount = 0;
function newAddress(): string {
  addressCount += 1;
  return `invited-${addressCount}@example.com`;
}

async function createOwner() {
  const owner = await createUser(service, 'enterprise');
  await verifyAddress(service, mail, owner.email);
  return owner;
}

/** Resolves when nothing is left to be sent: a mail that is not there by now does not arrive. */
async function waitUntilAllSent(): Promise<void> {
  const waiting = () => query(service.databaseUrl, 'select id from mails where sent_at is null');
  await expect.poll(waiting).toEqual([]);
}

describe('inviters', () => {
  it('have names that are text in mails, in headers and in HTML', async () => {
    const name = 'Ada "Eve" <eve@example.com>, <img src=https://evil.example/x.png> =?utf-8?q?Bcc:?= ÄÖÜ';
    const { email, token } = await signUp(service, { name });
    await verifyAddress(service, mail, email);
    await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: 'enterprise' } });
    const organizationId = await createOrganization(service, { token }, 2, '</title><script>alert(1)</script>');
    const invited = newAddress();
    const path = `/api/v1/organizations/${organizationId}/invitations`;
    const invitation = await call(service, 'POST', path, { token, body: { email: invited } });
    expect(invitation.status).toBe(201);
    const message = await mail.nextMail(invited);
    expect(message.subject).toBe('You are invited to an organization');
    expect(message.to).toEqual([invited]);
    // Mail clients make links of text that looks like one.
    for (const text of [message.text, message.html]) expect(text).not.toMatch(/evil\.example|eve@example\.com/);
    expect(message.text.replaceAll('\u200B', '')).toContain('“</title><script>alert(1)</script>”');
    expect(message.text.replaceAll('\u200B', '')).toContain(
      '“Ada ’Eve’ <eve@example.com>, <img src=https://evil.example/…”',
    );
    expect(message.html).not.toMatch(/<(script|img|link|iframe)|<[^>]*src=|url\(|@import/i);
    expect(message.token).toBe(invitation.body.token);
    expect(message.raw).not.toMatch(/^(bcc|cc):/im);
  });

  it('cannot flood an address with invitations', async () => {
    const owner = await createOwner();
    const organizationId = await createOrganization(service, owner, 10);
    const path = `/api/v1/organizations/${organizationId}/invitations`;
    const invited = newAddress();
    for (let count = 0; count < 7; count += 1) {
      const { status } = await call(service, 'POST', path, { token: owner.token, body: { email: invited } });
      expect(status).toBe(201);
    }
    await waitUntilAllSent();
    expect(mail.count(invited)).toBe(5);
  });

  it('stop the mail of an invitation by withdrawing it before it is sent', async () => {
    const owner = await createOwner();
    const organizationId = await createOrganization(service, owner, 2);
    const path = `/api/v1/organizations/${organizationId}/invitations`;
    const invited = newAddress();
    await mail.stop();
    const { body } = await call(service, 'POST', path, { token: owner.token, body: { email: invited } });
    await call(service, 'DELETE', `${path}/${body.id}`, owner);
    mail = await startMailServer({ port: mail.port });
    await waitUntilAllSent();
    expect(mail.count(invited)).toBe(0);
  });
});
