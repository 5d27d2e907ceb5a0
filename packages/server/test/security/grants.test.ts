// The table of docs/access.md: every grant is in it, the document says what it says, and a sample of its cells. The others:
// grants.long.test.ts.

import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  createApiKey,
  createMark,
  createOrganization,
  createUser,
  statusAndCode,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { createArtifact, newArtifact, type Registry } from '../../../../test/support/artifacts.js';
import { addVerifiedDomain } from '../../../../test/support/domains.js';
import { call } from '../../../../test/support/service.js';
import { whileLocked } from '../support/whileLocked.js';
import { renderPieces } from './grants/document.js';
import { describeLosses } from './grants/runLosses.js';
import { sample } from './grants/sample.js';
import { columnsWithoutGrant, grants } from './grants/table.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

const exportOf = async (service: Registry, { token }: TestUser) =>
  (await call(service, 'GET', '/api/v1/me/export', { token })).body;

/** Columns that name a user, an organization or an API key, or are called like a secret or a role. */
function listGrantColumns(schema: string): string[] {
  const isGrantName =
    /token|password|recovery|^(secret|role|is_admin|has_totp|recipient|issuer|subject)$|^(user|owner|admin|caller|actor|author|claimant|key|organization)_id$|_by$/;
  return [...schema.matchAll(/^CREATE TABLE (\w+) \(\n(.*?)\n\)/gms)].flatMap(([, table, body = '']) => {
    const named = [...body.matchAll(/^ {2}(\w+) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => isGrantName.test(name));
    const referring = [...body.matchAll(/FOREIGN KEY \((\w+)\) REFERENCES (?:users|organizations|api_keys)\(/g)];
    const columns = new Set([...named, ...referring.map(([, name = '']) => name)]);
    return [...columns].map((column) => `${table}.${column}`);
  });
}

describe('the table of grants', () => {
  it('has every column of the schema that may keep a grant: a new one needs a row, or the reason why it grants nothing', () => {
    const columns = listGrantColumns(read('../../schema.sql'));
    const inTable = Object.values(grants).flatMap(({ columns }): readonly string[] => columns);
    expect([...new Set([...inTable, ...Object.keys(columnsWithoutGrant)])].sort()).toEqual(columns.sort());
    expect(listGrantColumns('CREATE TABLE links (\n  id uuid not null,\n  token_hash bytea not null\n);')).toEqual([
      'links.token_hash',
    ]);
  });

  it.each(Object.entries(renderPieces()))('is what docs/access.md says: %s', (_, piece) => {
    expect(read('../../../../docs/access.md')).toContain(piece);
  });
});

const stage = describeLosses(sample);

describe('a webhook', () => {
  const url = 'http://127.0.0.1:9/first';
  let service: Registry;
  let owner: TestUser;
  let admin: TestUser;
  let guild: string;

  beforeEach(async () => {
    service = stage().service;
    [owner, admin] = [await createUser(service, 'enterprise'), await createUser(service)];
    guild = await createOrganization(service, owner, 1);
    expect((await addMember(service, owner, guild, admin, true)).status).toBe(200);
  });

  const create = async ({ token }: TestUser) =>
    (await call(service, 'POST', '/api/v1/webhooks', { token, body: { url, organizationId: guild } })).body.id;
  const move = ({ token }: TestUser, id: string) =>
    call(service, 'PATCH', `/api/v1/webhooks/${id}`, { token, body: { url: 'http://127.0.0.1:9/second' } });
  const read = (id: string) => call(service, 'GET', `/api/v1/webhooks/${id}`, owner);

  it('ends with the admin member who set its URL last, not with the one who created it', async () => {
    const [kept, moved] = [await create(admin), await create(owner)];
    expect([(await move(owner, kept)).status, (await move(admin, moved)).status]).toEqual([200, 200]);
    const path = `/api/v1/organizations/${guild}`;
    expect((await call(service, 'DELETE', `${path}/members/${admin.id}`, owner)).status).toBe(204);
    expect([(await read(kept)).status, (await read(moved)).status]).toEqual([200, 404]);
    const { events } = (await call(service, 'GET', `${path}/events`, owner)).body;
    expect(events[0]).toMatchObject({ type: 'webhook.deleted', actor: { id: owner.id }, data: { webhookId: moved } });
  });

  it('gets no URL by an admin member who is removed meanwhile', async () => {
    const id = await create(owner);
    const lock = `select 1 from organizations where id = '${guild}' for update`;
    const late = await whileLocked(
      service,
      lock,
      () => move(admin, id),
      (blocker) =>
        blocker.query(`delete from organization_members where user_id = '${admin.id}';
          update organizations set member_count = member_count - 1 where id = '${guild}'`),
    );
    expect(statusAndCode(late)).toEqual([404, 'NOT_FOUND']);
    expect((await read(id)).body.url).toBe(url);
  });
});

it('An API key that is revoked while its request waits makes neither an invitation nor a webhook', async () => {
  const { service } = stage();
  const owner = await createUser(service, 'enterprise');
  const studio = await createOrganization(service, owner, 1);
  const invitations = `/api/v1/organizations/${studio}/invitations`;
  for (const [path, body] of [
    [invitations, {}],
    ['/api/v1/webhooks', { url: 'http://127.0.0.1:9/' }],
  ] as const) {
    const { id, token } = (await createApiKey(service, owner, studio)).body;
    const late = await whileLocked(
      service,
      `select 1 from organizations where id = '${studio}' for update`,
      () => call(service, 'POST', path, { token, body }),
      () => call(service, 'DELETE', `/api/v1/api-keys/${id}?organizationId=${studio}`, { token: owner.token }),
    );
    expect(statusAndCode(late)).toEqual([401, 'UNAUTHORIZED']);
  }
  expect((await call(service, 'GET', invitations, owner)).body).toEqual([]);
  expect((await call(service, 'GET', `/api/v1/webhooks?organizationId=${studio}`, owner)).body.webhooks).toEqual([]);
});

it('The export has nothing of an organization that the user may no longer read, but that the user acted there', async () => {
  const { service } = stage();
  const [owner, member] = [await createUser(service, 'enterprise'), await createUser(service)];
  const guild = await createOrganization(service, owner, 1);
  await addMember(service, owner, guild, member, true);
  const fields = { organizationId: guild, name: 'Zinnober Vexillology', visibility: 'private' };
  const markId: string = (await createMark(service, member, fields)).body.id;
  await addVerifiedDomain(service, markId, 'zinnober.example');
  const artifact = newArtifact({ markId, filename: 'marzipan.tiff', size: 4711 });
  expect((await createArtifact(service, member, artifact)).status).toBe(201);
  const open = { ...fields, visibility: 'public', name: 'Open' };
  const hiddenIn = newArtifact({ markId: (await createMark(service, member, open)).body.id, filename: 'hidden.tiff' });
  expect((await createArtifact(service, member, hiddenIn)).status).toBe(201);
  const path = `/api/v1/artifacts/${hiddenIn.fingerprint}/visibility`;
  await call(service, 'PUT', path, { token: member.token, body: { contentVisibility: 'private' } });
  const before = JSON.stringify(await exportOf(service, member));
  const names = ['Zinnober Vexillology', 'zinnober.example', 'marzipan.tiff', '"size":4711', 'hidden.tiff'];
  for (const name of names) expect(before).toContain(name);

  const removal = `/api/v1/organizations/${guild}/members/${member.id}`;
  expect((await call(service, 'DELETE', removal, { token: owner.token })).status).toBe(204);
  const data = await exportOf(service, member);
  for (const name of names) expect(JSON.stringify(data)).not.toContain(name);
  expect([data.organizations, data.marks, data.domains]).toEqual([[], [], []]);
  expect(data.artifacts).toMatchObject([
    { fingerprint: hiddenIn.fingerprint, metadata: { mark: { name: 'Open' } } },
    { fingerprint: artifact.fingerprint, aiPreferences: null },
  ]);
  expect(data.events.filter(({ type }: { type: string }) => type === 'mark.created')).toMatchObject([
    { actor: { id: member.id }, mark: { name: 'Open' }, user: null, data: null },
    { actor: { id: member.id }, mark: null, user: null, data: null },
  ]);
});
