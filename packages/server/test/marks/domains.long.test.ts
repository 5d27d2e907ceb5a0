// Domains of Marks over time: added, verified, failing, lapsed, removed; and users who want to pass as someone else.

import { MAX_DOMAINS } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  changeTier,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type RegistryProcess,
  startRegistryProcess,
} from '../../../../test/support/artifacts.js';
import { type DomainHost, startDomainHost } from '../../../../test/support/domainHost.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, signUp, type TestResponse } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { openDatabase } from '../../src/database/connection.js';
import { MarkDomainQueries } from '../../src/database/queries/marks/markDomains.js';

let host: DomainHost;
let mails: MailServer;
let service: RegistryProcess;

beforeAll(async () => {
  [host, mails] = await Promise.all([startDomainHost(), startMailServer()]);
  service = await startRegistryProcess({ ...mails.settings, ...host.settings, MAIL_FROM: mails.settings.MAIL_FROM });
});

const rows = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  query<Row>(service.databaseUrl, sql, values);

let domainCount = 0;
function newDomain(): string {
  domainCount += 1;
  return `domain-${domainCount}.example`;
}

/** An account whose address is verified, so that it gets notices, with a Mark. */
async function createAdmin(fields: Record<string, unknown> = {}) {
  const user = await signUp(service);
  await changeTier(service, user, 'enterprise');
  await rows('update users set email_verified = true where id = $1', [user.id]);
  // The verification of the address.
  await mails.nextMail(user.email);
  const markId: string = (await createMark(service, user, fields)).body.id;
  return { user, markId };
}

const domainsPath = (markId: string) => `/api/v1/marks/${markId}/domains`;
const claim = ({ token }: { token: string }, markId: string, domain: string): Promise<TestResponse> =>
  call(service, 'POST', domainsPath(markId), { token, body: { domain } });
const list = async ({ token }: { token: string }, markId: string) =>
  (await call(service, 'GET', domainsPath(markId), { token })).body;
const verifiedDomains = async (markId: string) =>
  (await call(service, 'GET', `/api/v1/public/marks/${markId}`)).body.verifiedDomains;

/** Publishes the record: the domain names these Marks. */
const publish = (domain: string, ...markIds: string[]) =>
  host.setRecords(
    'TXT',
    `_provenance-registry.${domain}`,
    markIds.map((id) => `mark=${id}`),
  );

/** Moves the domain's times into the past, as if those hours had gone by, and lets the worker check it. */
async function checkAfter(markId: string, hours: { claimed?: number; failing?: number; warned?: number } = {}) {
  const [domain] = await rows<{ id: string }>(
    `update mark_domains set next_check_at = now(), last_checked_at = null,
       claimed_at = claimed_at - $2 * interval '1 hour',
       failing_since = failing_since - $3 * interval '1 hour',
       warned_at = warned_at - $4 * interval '1 hour'
     where mark_id = $1 and ended_at is null returning id`,
    [markId, hours.claimed ?? 0, hours.failing ?? 0, hours.warned ?? 0],
  );
  await waitUntil(async () => {
    // While a worker has it, the next check is exactly a lease after the start of this one.
    const [row] = await rows<{ is_done: boolean }>(
      `select ended_at is not null or next_check_at <> last_checked_at + interval '1 minute' as is_done
       from mark_domains where id = $1`,
      [domain?.id],
    );
    return row?.is_done === true;
  }, 'the domain is checked');
}

const readEvents = (markId: string) =>
  rows<{ type: string; actor_id: string | null; data: unknown }>(
    "select type, actor_id, data from events where mark_id = $1 and type like 'domain.%' order by id",
    [markId],
  );

async function verifyByRecord(user: { token: string }, markId: string, domain: string): Promise<void> {
  await publish(domain, markId);
  expect((await claim(user, markId, domain)).status).toBe(201);
  await waitUntil(async () => (await verifiedDomains(markId)).length > 0, 'the domain is verified');
}

async function register(user: { token: string }, markId: string) {
  const { status, body } = await createArtifact(service, user, {
    markId,
    fingerprint: newFingerprint(),
    filename: 'a.jpg',
  });
  expect(status).toBe(201);
  return async () => (await call(service, 'GET', `/api/v1/public/artifacts/${body.fingerprint}`)).body;
}

describe('Claiming', () => {
  let user: TestUser;
  let markId: string;
  beforeAll(async () => {
    user = await createUser(service);
    markId = (await createMark(service, user)).body.id;
  });

  it('shows what to publish, in ASCII', async () => {
    const { status, body } = await claim(user, markId, 'Bücher.Example');
    expect(status).toBe(201);
    expect(body).toMatchObject({
      domain: 'xn--bcher-kva.example',
      status: 'pending',
      dnsRecord: { name: '_provenance-registry.xn--bcher-kva.example', value: `mark=${markId}` },
      file: {
        url: 'https://xn--bcher-kva.example/.well-known/provenance-mark.json',
        content: `{"marks":["${markId}"]}`,
      },
    });
    expect(Date.parse(body.lapsesAt) - Date.parse(body.claimedAt)).toBe(30 * 86_400_000);
    expect((await call(service, 'DELETE', `${domainsPath(markId)}/B%C3%BCcher.example`, user)).status).toBe(204);
    expect(await list(user, markId)).toEqual([]);
  });

  it('refuses what is no domain, a domain twice, and more than the limit', async () => {
    const refused = await claim(user, markId, '127.0.0.1');
    expect([refused.status, refused.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(refused.body.problems).toMatchObject([{ path: '/domain' }]);
    for (let count = 0; count < MAX_DOMAINS - 1; count += 1) {
      expect((await claim(user, markId, newDomain())).status).toBe(201);
    }
    const last = await Promise.all([claim(user, markId, 'one.example'), claim(user, markId, 'ONE.example')]);
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const tooMany = await claim(user, markId, newDomain());
    expect([tooMany.status, tooMany.body.code]).toEqual([409, 'CONFLICT']);
    expect(await list(user, markId)).toHaveLength(MAX_DOMAINS);
    for (const [method, path] of [
      ['POST', '/unknown.example/check'],
      ['DELETE', '/unknown.example'],
      ['DELETE', '/127.0.0.1'],
    ] as const) {
      expect((await call(service, method, `${domainsPath(markId)}${path}`, user)).status).toBe(404);
    }
  });

  it('is for the admin; members see the domains', async () => {
    const member = await createUser(service);
    expect((await addMarkMember(service, user, markId, member)).status).toBe(200);
    expect((await claim(member, markId, newDomain())).status).toBe(403);
    expect(await list(member, markId)).toHaveLength(MAX_DOMAINS);
    expect((await call(service, 'GET', domainsPath(markId), await createUser(service))).status).toBe(403);
  });

  it('needs an active organization', async () => {
    const owner = await createUser(service, 'enterprise');
    const organizationId = await createOrganization(service, owner);
    const mark = (await createMark(service, owner, { organizationId })).body;
    await changeTier(service, owner, 'creator');
    const { status, body } = await claim(owner, mark.id, newDomain());
    expect([status, body.code]).toEqual([403, 'TIER_RESTRICTION']);
  });

  it('checks at most once a minute when asked to', async () => {
    const owner = await createUser(service);
    const id = (await createMark(service, owner)).body.id;
    const domain = newDomain();
    await claim(owner, id, domain);
    await waitUntil(async () => (await list(owner, id))[0].lastError !== null, 'the domain is checked');
    expect((await call(service, 'POST', `${domainsPath(id)}/${domain}/check`, owner)).status).toBe(202);
    const [row] = await rows<{ seconds: number }>(
      'select extract(epoch from next_check_at - last_checked_at)::float8 as seconds from mark_domains where mark_id = $1',
      [id],
    );
    expect(row?.seconds).toBeLessThanOrEqual(60);
    // Later, it is due at once.
    await rows(
      "update mark_domains set next_check_at = now() + interval '1 hour', last_checked_at = null where mark_id = $1",
      [id],
    );
    await publish(domain, id);
    expect((await call(service, 'POST', `${domainsPath(id)}/${domain}/check`, owner)).status).toBe(202);
    await waitUntil(async () => (await list(owner, id))[0].status === 'verified', 'the domain is verified');
  });
});

describe('A verified domain', () => {
  it('lapses after a week of failed checks, with a notice before, and is known for good', async () => {
    const domain = newDomain();
    const { user, markId } = await createAdmin();
    const readEarlier = await register(user, markId);
    await verifyByRecord(user, markId, domain);
    const readArtifact = await register(user, markId);
    expect(await readEarlier()).toMatchObject({
      verifiedDomains: [{ domain, method: 'dns', verifiedAtRegistration: false }],
      domainsAtRegistration: [],
    });
    expect((await readArtifact()).verifiedDomains).toMatchObject([{ domain, verifiedAtRegistration: true }]);

    await publish(domain);
    await checkAfter(markId);
    const [failing] = await list(user, markId);
    expect(failing).toMatchObject({
      status: 'failing',
      method: 'dns',
      lastError: expect.stringContaining('TXT record'),
    });
    // Within grace it is still shown, with the time of the last success.
    expect(await verifiedDomains(markId)).toMatchObject([{ domain, lastChecked: failing.lastChecked }]);

    // A day later the admin is told; the domain lapses six days after that.
    await checkAfter(markId, { failing: 25 });
    const notice = await mails.nextMail(user.email);
    expect(notice.subject).toBe('A domain of your Mark can no longer be confirmed');
    const [{ lapsesAt }] = await list(user, markId);
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(lapsesAt));
    expect(notice.text).toContain(`The domain lapses on ${day}`);
    await checkAfter(markId, { failing: 24 * 5, warned: 24 * 5 });
    expect(await verifiedDomains(markId)).toHaveLength(1);

    await checkAfter(markId, { failing: 24, warned: 24 });
    expect(await verifiedDomains(markId)).toEqual([]);
    expect(await list(user, markId)).toEqual([]);
    expect((await mails.nextMail(user.email)).subject).toBe('A domain of your Mark has lapsed');
    expect(mails.count(user.email)).toBe(3);
    const events = await readEvents(markId);
    expect(events.map(({ type }) => type)).toEqual([
      'domain.claimed',
      'domain.verified',
      'domain.failing',
      'domain.lapsed',
    ]);
    expect(events.every(({ data }) => JSON.stringify(data).includes(domain))).toBe(true);
    expect(await rows('select * from mark_domains where mark_id = $1', [markId])).toMatchObject([
      { domain, claimed_by: user.id, method: 'dns', end_reason: 'lapsed', ended_by: null },
    ]);
    for (const change of [
      'delete from mark_domains',
      "update mark_domains set domain = 'x' where ended_at is not null",
    ]) {
      await expect(rows(change)).rejects.toThrow('never changed or removed');
    }
  });

  it('does not lapse before the admin had a day of notice, however long the service was down', async () => {
    const { user, markId } = await createAdmin();
    await addVerifiedDomain(service, markId, newDomain());
    await checkAfter(markId);
    await checkAfter(markId, { failing: 24 * 30 });
    expect((await mails.nextMail(user.email)).subject).toContain('can no longer be confirmed');
    await checkAfter(markId, { warned: 23 });
    expect(await verifiedDomains(markId)).toHaveLength(1);
    await checkAfter(markId, { warned: 2 });
    expect(await verifiedDomains(markId)).toEqual([]);
  });

  it('recovers when a check succeeds, by another method too, and keeps its first day', async () => {
    const { user, markId } = await createAdmin();
    const domain = newDomain();
    await addVerifiedDomain(service, markId, domain, { since: new Date('2026-01-02T03:04:05Z') });
    await checkAfter(markId);
    expect(await list(user, markId)).toMatchObject([{ status: 'failing' }]);
    await host.setSite(domain, { body: JSON.stringify({ marks: [markId] }) });
    await checkAfter(markId, { failing: 24 * 6 });
    const [recovered] = await list(user, markId);
    expect(recovered).toMatchObject({ status: 'verified', method: 'file', since: '2026-01-02T03:04:05.000Z' });
    const hours = (Date.parse(recovered.nextCheckAt) - Date.parse(recovered.lastChecked)) / 3_600_000;
    expect([hours >= 23, hours <= 25]).toEqual([true, true]);
    // Failures before that no longer count.
    await host.setSite(domain, { status: 404 });
    await checkAfter(markId);
    await checkAfter(markId, { failing: 24 * 6 });
    expect(await list(user, markId)).toMatchObject([{ status: 'failing' }]);
  });

  it('is removed by the admin, and claimed again as a new period', async () => {
    const { user, markId } = await createAdmin();
    const domain = newDomain();
    await verifyByRecord(user, markId, domain);
    const readArtifact = await register(user, markId);
    expect((await call(service, 'DELETE', `${domainsPath(markId)}/${domain}`, user)).status).toBe(204);
    expect(await verifiedDomains(markId)).toEqual([]);
    const { verifiedDomains: now, domainsAtRegistration } = await readArtifact();
    expect([now, domainsAtRegistration]).toMatchObject([[], [{ domain, until: expect.any(String) }]]);
    await verifyByRecord(user, markId, domain);
    expect(
      await rows('select end_reason, ended_by from mark_domains where mark_id = $1 order by claimed_at', [markId]),
    ).toEqual([
      { end_reason: 'removed', ended_by: user.id },
      { end_reason: null, ended_by: null },
    ]);
  });

  it('of a private Mark is not shown to others', async () => {
    const { user, markId } = await createAdmin({ visibility: 'private' });
    await addVerifiedDomain(service, markId, newDomain());
    const readArtifact = await register(user, markId);
    expect(await readArtifact()).toMatchObject({ verifiedDomains: [], domainsAtRegistration: [] });
    expect(await list(user, markId)).toMatchObject([{ status: 'verified' }]);
  });
});

describe('Hostile users', () => {
  it('a squatter who claims a domain without controlling it is never shown with it', async () => {
    const domain = newDomain();
    const [owner, squatter] = [await createAdmin(), await createAdmin()];
    expect((await claim(squatter.user, squatter.markId, domain)).status).toBe(201);
    await checkAfter(squatter.markId);
    // It does not keep the owner of the domain from claiming it.
    await verifyByRecord(owner.user, owner.markId, domain);
    await checkAfter(squatter.markId, { claimed: 24 * 29 });
    expect(await verifiedDomains(squatter.markId)).toEqual([]);
    expect(await list(squatter.user, squatter.markId)).toMatchObject([{ status: 'pending' }]);
    await checkAfter(squatter.markId, { claimed: 25 });
    expect(await list(squatter.user, squatter.markId)).toEqual([]);
    expect((await readEvents(squatter.markId)).map(({ type }) => type)).toEqual(['domain.claimed', 'domain.expired']);
  });

  it('a thief of a domain is seen: the admin is told, earlier Artifacts do not get it, and the past stays', async () => {
    const domain = newDomain();
    const [owner, thief] = [
      await createAdmin({ name: 'Reuters Pictures' }),
      await createAdmin({ name: 'Rival Pictures' }),
    ];
    await verifyByRecord(owner.user, owner.markId, domain);
    const readOwn = await register(owner.user, owner.markId);
    const readStolen = await register(thief.user, thief.markId);

    await verifyByRecord(thief.user, thief.markId, domain);
    const notice = await mails.nextMail(owner.user.email);
    expect(notice.subject).toBe('Another Mark has verified a domain of yours');
    expect(notice.text).toMatch(/your Mark “Reuters Pictures”.*the Mark “Rival Pictures”/s);
    expect((await readStolen()).verifiedDomains).toMatchObject([{ domain, verifiedAtRegistration: false }]);
    await checkAfter(owner.markId);
    expect(await list(owner.user, owner.markId)).toMatchObject([{ status: 'failing' }]);
    expect((await readOwn()).domainsAtRegistration).toMatchObject([{ domain }]);

    // Back with its owner: the thief's Mark fails, and claiming it again and again causes no further mail.
    await publish(domain, owner.markId, thief.markId);
    expect((await call(service, 'DELETE', `${domainsPath(thief.markId)}/${domain}`, thief.user)).status).toBe(204);
    await verifyByRecord(thief.user, thief.markId, domain);
    await publish(domain, owner.markId);
    await checkAfter(owner.markId);
    await checkAfter(thief.markId);
    expect(await list(owner.user, owner.markId)).toMatchObject([{ status: 'verified' }]);
    expect(await list(thief.user, thief.markId)).toMatchObject([{ status: 'failing' }]);
    expect(
      await rows('select 1 from mails where recipient = $1 and template = $2', [owner.user.email, 'domain-notice']),
    ).toHaveLength(1);
  });
});

it('Several workers claim each domain that is due once', async () => {
  const connectionString = await createMigratedDatabase();
  await query(
    connectionString,
    `with person as (insert into users (id, name) values (gen_random_uuid(), 'Ada') returning id),
       mark as (
         insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
         select gen_random_uuid(), 'Mark', 'mark', 'public', 'NONE_SPECIFIED', id, id from person returning id, admin_id
       )
     insert into mark_domains (id, mark_id, domain, claimed_by)
     select gen_random_uuid(), mark.id, n || '.example', admin_id from mark, generate_series(1, 30) n`,
  );
  const database = openDatabase({ connectionString });
  try {
    const queue = new MarkDomainQueries(database);
    const claimed = await Promise.all(Array.from({ length: 8 }, () => queue.leaseDue(10, 60_000)));
    const names = claimed.flat().map(({ domain }) => domain);
    // A claim skips rows that another one has locked, so some may be left.
    names.push(...(await queue.leaseDue(30, 60_000)).map(({ domain }) => domain));
    expect([names.length, new Set(names).size]).toEqual([30, 30]);
    // A worker that died: its domains are due again after the lease.
    expect(await queue.leaseDue(30, 60_000)).toEqual([]);
    await query(connectionString, "update mark_domains set next_check_at = next_check_at - interval '1 minute'");
    expect(await queue.leaseDue(50, 60_000)).toHaveLength(30);
  } finally {
    await database.destroy();
  }
});
