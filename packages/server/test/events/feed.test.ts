// The feed of events over HTTP: what each caller sees of it, page by page, and what causes events.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  addMember,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  createArtifact,
  fieldParts,
  filePart,
  fingerprintOf,
  formBody,
  newArtifact,
  type Registry,
  sendForm,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { actOnClaim, contest } from '../support/claims.js';
import { draw } from '../support/pictures.js';

const OPERATOR_TOKEN = 'operator-token-of-this-test';
type Credential = Pick<TestUser, 'token'>;

let service: Registry;
beforeAll(async () => {
  service = await startRegistry({ OPERATOR_TOKEN, TRUSTED_PROXIES: '127.0.0.1' });
});

interface Event {
  readonly position: string;
  readonly type: string;
  readonly mark: { readonly id: string; readonly name: string } | null;
  readonly actor: { readonly id: string } | null;
  readonly data: Readonly<Record<string, unknown>> | null;
}

const get = ({ token }: Credential, search = '') => call(service, 'GET', `/api/v1/events?${search}`, { token });

const createKey = ({ token }: Credential, organizationId: string, fields: object) =>
  call(service, 'POST', '/api/v1/api-keys', { token, body: { organizationId, name: 'key', ...fields } });

async function untilOrdered(): Promise<void> {
  const waiting = 'select 1 from events where position is null limit 1';
  await waitUntil(async () => (await query(service.databaseUrl, waiting)).length === 0, 'all events are ordered');
}

/** All events from the start. */
async function read(reader: Credential, search = ''): Promise<readonly Event[]> {
  await untilOrdered();
  const { status, body } = await get(reader, `limit=200&${search}`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.events;
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const readTypes = async (reader: Credential, search = '') => typesOf(await read(reader, search));

describe('the feed', () => {
  it('shows each caller what it may see, and no more', async () => {
    const [owner, admin, member, guest, stranger] = await Promise.all(
      (['enterprise', 'free', 'free', 'free', 'free'] as const).map((tier) => createUser(service, tier)),
    );
    if (!owner || !admin || !member || !guest || !stranger) throw new Error('no users');
    const studio = await createOrganization(service, owner, 5);
    await addMember(service, owner, studio, admin, true);
    await addMember(service, owner, studio, member);
    const key = { token: String((await createKey(owner, studio, { scope: 'read' })).body.token) };
    const mark = (await createMark(service, owner, { organizationId: studio, visibility: 'private', name: 'Hidden' }))
      .body;
    await addMarkMember(service, owner, mark.id, guest);
    const ofStudio = ['organization.created', 'organization.units_changed', 'invitation.created'];
    const all = await readTypes(owner);
    expect(all).toEqual(expect.arrayContaining([...ofStudio, 'invitation.accepted', 'key.created', 'mark.created']));
    const readers = {
      admin: await readTypes(admin),
      adminOfStudio: await readTypes(admin, `organizationId=${studio}`),
      key: await readTypes(key),
      member: await readTypes(member),
      guest: await readTypes(guest),
      stranger: await readTypes(stranger),
    };
    // The operator's tier change belongs to no organization.
    expect(readers).toEqual({
      admin: all,
      adminOfStudio: all,
      key: all,
      member: ['invitation.accepted', 'mark.created', 'invitation.created', 'invitation.accepted'],
      guest: ['mark.created', 'invitation.created', 'invitation.accepted'],
      stranger: [],
    });

    const refusals = [
      await get(member, `organizationId=${studio}`),
      await get(stranger, `organizationId=${studio}`),
      await get(key, `organizationId=${randomUUID()}`),
      await get({ token: 'none' }),
    ];
    expect(refusals.map(statusAndCode)).toEqual([
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [403, 'API_KEY_ORG_MISMATCH'],
      [401, 'UNAUTHORIZED'],
    ]);

    // A guest who is removed learns that, and not what the private Mark is called.
    const path = `/api/v1/marks/${mark.id}/members/${guest.id}`;
    expect((await call(service, 'DELETE', path, { token: owner.token })).status).toBe(204);
    await createArtifact(service, owner, newArtifact({ markId: mark.id }));
    const left = await read(guest);
    expect(typesOf(left)).toEqual(['invitation.accepted', 'mark.member_removed']);
    expect(left.map((event) => event.mark)).toEqual([null, null]);
    expect(JSON.stringify(left)).not.toContain('Hidden');
    expect((await readTypes(member)).slice(4)).toEqual(
      expect.arrayContaining(['mark.member_removed', 'artifact.created']),
    );
    // A member who is removed sees nothing more of the organization's Marks.
    const membership = `/api/v1/organizations/${studio}/members/${member.id}`;
    expect((await call(service, 'DELETE', membership, { token: owner.token })).status).toBe(204);
    expect(await readTypes(member)).toEqual(['invitation.accepted', 'member.removed']);
    // What concerns the account is for its user alone.
    await query(
      service.databaseUrl,
      `insert into events (type, actor_id, user_id) values ('account.password_changed', $1, $1)`,
      [owner.id],
    );
    expect(await readTypes(owner)).toContain('account.password_changed');
    for (const other of [admin, key, guest]) expect(await readTypes(other)).not.toContain('account.password_changed');
    expect(await readTypes(owner, `organizationId=${studio}`)).not.toContain('account.password_changed');
  });

  it('is read page by page without loss, repetition or an end too early', async () => {
    const user = await createUser(service, 'enterprise');
    const marks = await Promise.all([1, 2, 3].map(async () => String((await createMark(service, user)).body.id)));
    for (const markId of [...marks, ...marks]) await createArtifact(service, user, newArtifact({ markId }));
    await waitUntil(
      async () => (await readTypes(user)).filter((type) => type === 'artifact.submitted').length === 6,
      '',
    );
    const all = await read(user);
    expect(all.length).toBe(15);
    for (const limit of [1, 4, 15, 200]) {
      const paged: Event[] = [];
      for (let after = '0'; ; ) {
        const { body } = await get(user, `limit=${limit}&after=${after}`);
        paged.push(...body.events);
        if (body.next === after || body.events.length < limit) break;
        expect(body.next).toBe(body.events.at(-1).position);
        after = body.next;
      }
      expect(paged).toEqual(all);
    }
    expect((await get(user, `after=${all.at(-1)?.position}`)).body.events).toEqual([]);
    // From another database, where the feed was longer.
    expect((await get(user, 'after=999999999999')).body).toEqual({ events: [], next: '999999999999' });
    for (const wrong of ['after=-1', 'after=x', 'limit=0', 'limit=201', 'wait=51', 'organizationId=1']) {
      expect(statusAndCode(await get(user, wrong))).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('answers a waiting reader when there is an event, also of a Mark that is new to it', async () => {
    const [owner, member] = [await createUser(service, 'enterprise'), await createUser(service)];
    const studio = await createOrganization(service, owner, 2);
    await addMember(service, owner, studio, member);
    const after = (await read(member)).at(-1)?.position ?? '0';
    const waiting = get(member, `after=${after}&wait=50`);
    const markId = (await createMark(service, owner, { organizationId: studio })).body.id;
    const { body } = await waiting;
    expect(typesOf(body.events)).toEqual(['mark.created']);
    const next = get(member, `after=${body.next}&wait=50`);
    await createArtifact(service, owner, newArtifact({ markId }));
    expect(typesOf((await next).body.events)[0]).toBe('artifact.created');
    const none = await get(await createUser(service), 'wait=1');
    expect([none.status, none.body.events]).toEqual([200, []]);
  });
});

describe('events of files', () => {
  it('tell of an image and its signed copy until both are on chain', async () => {
    const user = await createUser(service, 'enterprise');
    const markId = String((await createMark(service, user)).body.id);
    const image = await draw({ seed: 1, width: 64, height: 64, cell: 16 }).png().toBuffer();
    const parts = [...fieldParts({ markId }), filePart(image, 'a.png', 'image/png')];
    const { status } = await sendForm(service, user, parts, {
      path: '/api/c2pa/manifests',
      headers: { accept: 'image/*' },
    });
    expect(status).toBe(201);
    await waitUntil(async () => (await readTypes(user)).includes('rendition.submitted'), 'the copy is on chain');
    const [, created, copied, submitted, copySubmitted] = await read(user);
    const fingerprint = fingerprintOf(image);
    const manifestId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const transactionHash = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    const copy = { fingerprint: expect.stringMatching(/^0x/), manifestId, renditionOf: fingerprint };
    const by = { id: user.id, name: user.name };
    expect(created).toMatchObject({ type: 'artifact.created', actor: by, data: { fingerprint, manifestId } });
    expect(copied).toMatchObject({ type: 'rendition.created', actor: by, data: copy });
    expect(submitted).toMatchObject({
      type: 'artifact.submitted',
      actor: null,
      data: { fingerprint, transactionHash },
    });
    expect(copySubmitted).toMatchObject({ type: 'rendition.submitted', data: { ...copy, transactionHash } });
    // They have lists of their own.
    const history = await call(service, 'GET', '/api/v1/me/export', { token: user.token });
    expect(JSON.stringify(history.body.events)).not.toContain('artifact.created');
  });

  it('tell both sides of look-alikes, and strangers nothing of private ones', async () => {
    const [first, second] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
    const [older, newer, hidden] = [
      await createMark(service, first),
      await createMark(service, second),
      await createMark(service, second, { visibility: 'private' }),
    ].map(({ body }) => String(body.id));
    // The same pixels in different bytes.
    const picture = (level: number) =>
      draw({ seed: 25, width: 320, height: 240, cell: 40 }).png({ compressionLevel: level }).toBuffer();
    const register = async (user: TestUser, markId: string | undefined, level: number) => {
      const bytes = await picture(level);
      const fields = fieldParts({ markId: String(markId), fingerprint: fingerprintOf(bytes), filename: 'a.png' });
      const { status, body } = await sendForm(service, user, [...fields, filePart(bytes, 'a.png')]);
      expect([status, body.error]).toEqual([201, undefined]);
      return body;
    };
    const original = await register(first, older, 1);
    const lookalikes = async (user: TestUser) =>
      (await read(user))
        .filter(({ type }) => type === 'lookalike.found')
        .map(({ mark, actor, data }) => {
          return { markId: mark?.id, actor, data };
        });
    // The index in memory reads new codes after their commit.
    await waitUntil(async () => {
      const body = new Uint8Array(formBody([filePart(await picture(3), 'asked.png')]));
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const found = await fetch(`${service.url}/api/v1/public/lookalikes`, { method: 'POST', headers, body });
      return (await found.text()).includes(original.fingerprint);
    }, 'the first is found');
    const secret = await register(second, hidden, 5);
    expect(secret.similarTo.length).toBe(1);
    expect(await lookalikes(first)).toEqual([]);
    const found = { fingerprint: secret.fingerprint, manifestId: secret.id, similarTo: [original.fingerprint] };
    expect(await lookalikes(second)).toEqual([{ markId: hidden, actor: null, data: found }]);
    const copy = await register(second, newer, 9);
    expect((await lookalikes(second)).length).toBe(2);
    expect(await lookalikes(first)).toEqual([
      { markId: older, actor: null, data: { fingerprint: original.fingerprint, similarTo: [copy.fingerprint] } },
    ]);
  });
});

describe('events of claims', () => {
  it('reach the claimant without naming the private Mark or its users', async () => {
    const [holder, claimant] = [await createUser(service, 'enterprise'), await createUser(service)];
    const markId = (await createMark(service, holder, { visibility: 'private', name: 'Hidden Mark' })).body.id;
    const artifact = newArtifact({ markId });
    await createArtifact(service, holder, artifact);
    const ownMarkId = (await createMark(service, claimant)).body.id;
    const claimId = String((await contest(service, claimant, artifact.fingerprint, { markId: ownMarkId })).body.id);
    await actOnClaim(service, holder, claimId, 'answers', { text: 'It is ours.' });
    const note = { token: OPERATOR_TOKEN, body: { text: 'Both sides were heard.' } };
    await call(service, 'POST', `/api/operator/claims/${claimId}/notes`, note);
    expect((await actOnClaim(service, holder, claimId, 'concede')).status).toBe(200);
    const [, ...told] = await read(claimant);
    expect(typesOf(told)).toEqual(['claim.answered', 'claim.noted', 'claim.conceded']);
    expect(told[0]).toMatchObject({
      actor: null,
      mark: null,
      organization: null,
      data: { claimId, fingerprint: artifact.fingerprint },
    });
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`Hidden Mark|${holder.id}|${holder.name}`));
    const ofHolder = (await readTypes(holder)).filter((type) => type.startsWith('claim.'));
    expect(ofHolder).toEqual(['claim.created', 'claim.answered', 'claim.noted', 'claim.conceded']);
  });
});

describe('alarms of API keys', () => {
  it('come once before a key expires, and when it is used from elsewhere', async () => {
    const owner = await createUser(service, 'enterprise');
    const studio = await createOrganization(service, owner);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const key = (await createKey(owner, studio, { expiresAt: inDays(30) })).body;
    await createKey(owner, studio, { expiresAt: inDays(2) });
    await query(service.databaseUrl, `update api_keys set expires_at = now() + interval '6 days' where id = $1`, [
      key.id,
    ]);
    await query(service.databaseUrl, `update api_keys set created_at = now() - interval '9 days' where id = $1`, [
      key.id,
    ]);
    const useFrom = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      expect((await call(service, 'GET', '/api/v1/marks', { token: key.token, headers })).status).toBe(200);
      // Lists the keys, which writes buffered uses.
      await call(service, 'GET', `/api/v1/api-keys?organizationId=${studio}`, { token: owner.token });
    };
    const alarms = async () =>
      (await read(owner)).filter(({ type }) => type === 'key.new_address').map(({ data }) => data);
    await useFrom('192.0.2.1');
    await useFrom('192.0.2.1');
    expect(await alarms()).toEqual([]);
    await useFrom('2001:db8::1');
    expect(await alarms()).toEqual([null]);
    // Within an hour, and from a network that is known.
    await useFrom('192.0.2.2');
    await query(service.databaseUrl, `update api_keys set new_address_at = now() - interval '2 hours'`);
    await useFrom('2001:db8::2');
    await useFrom('192.0.2.2');
    expect(await alarms()).toEqual([null]);
    await useFrom('2001:db8:0:1::1');
    expect(await alarms()).toEqual([null, null]);
    const expiring = async () => (await read(owner)).filter(({ type }) => type === 'key.expiring');
    await waitUntil(async () => (await expiring()).length > 0, 'the sweeper has run');
    expect(await expiring()).toMatchObject([{ key: { id: key.id }, data: { expiresAt: expect.any(String) } }]);
  });
});
