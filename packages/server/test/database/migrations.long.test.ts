// Migrations of databases of earlier releases, on an external PostgreSQL server.

import { describe, expect, inject, it } from 'vitest';
import { createDatabase, createEarlierDatabase, query } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';
import { openDatabase } from '../../src/database/connection.js';
import { migrateToLatest } from '../../src/database/migrate.js';
import { listMigrations } from '../../src/database/migrations/files.js';
import { createStore } from '../../src/database/store.js';
import { createUseBuffers } from '../../src/database/useBuffer.js';

describe('migrations', () => {
  it('run once when three services start concurrently on an empty database', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    const JWT_SECRET = 'shared by three processes, 32 or more characters';
    const services = await Promise.all(Array.from({ length: 3 }, () => startService({ DATABASE_URL, JWT_SECRET })));
    const migrations = await query(DATABASE_URL, 'select name from migrations order by name');
    expect(migrations).toEqual((await listMigrations()).map((name) => ({ name })));
    const { token } = await signUp(services[0] as Service);
    for (const service of services) expect((await call(service, 'GET', '/api/v1/me', { token })).status).toBe(200);
  });
});

describe('a database from before signed copies were recorded', () => {
  it('is migrated with its Artifacts and idempotency records', async () => {
    const url = await createEarlierDatabase(inject('postgresUrl'), '0007');
    const [userId, markId, artifactId] = [randomUUID(), randomUUID(), randomUUID()];
    await query(url, `insert into users (id, name) values ($1, 'Ada')`, [userId]);
    await query(
      url,
      `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
       values ($1, 'Mark', 'mark', 'public', 'MIT', $2, $2)`,
      [markId, userId],
    );
    const fingerprint = randomBytes(32);
    await query(
      url,
      `with artifact as (
         insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
         values ($1, $2, $3, $4, $4, '{"kind": "other"}') returning id
       ) insert into outbox (artifact_id) select id from artifact`,
      [artifactId, markId, userId, fingerprint],
    );
    await query(
      url,
      `insert into idempotency_keys (caller_id, key, request_hash, response) values ($1, 'a key', $2, $3)`,
      [userId, fingerprint, { id: artifactId, status: 'pending' }],
    );

    await migrateToLatest({ connectionString: url });
    const database = openDatabase({ connectionString: url });
    const { artifacts, idempotencyRecords } = createStore(database, createUseBuffers(database));
    const found = await artifacts.find(`0x${fingerprint.toString('hex')}`);
    expect(found).toMatchObject({ id: artifactId, markId, status: 'pending', renditions: [] });
    const page = await artifacts.list({ markId, status: undefined, limit: 10, after: undefined });
    expect(page).toEqual([found]);
    const record = await idempotencyRecords.find(userId, 'a key', new Date(0));
    expect(record).toMatchObject({ artifactId, response: undefined });
    await database.destroy();
  });
});

describe('a database from before grants had makers', () => {
  it('loses those whose maker has lost the right to them, and keeps the others', async () => {
    const url = await createEarlierDatabase(inject('postgresUrl'), '0022');
    const [former, owner, admin] = [randomUUID(), randomUUID(), randomUUID()];
    const [member, studio] = [randomUUID(), randomUUID()];
    for (const id of [former, owner, admin, member]) {
      await query(url, `insert into users (id, name, tier) values ($1, 'Ada', 'enterprise')`, [id]);
    }
    await query(
      url,
      `with organization as (
         insert into organizations (id, name, owner_id, purchased_units, member_count) values ($1, 'Studio', $2, 9, 3) returning id
       ), counted as (insert into counters (owner_id, api_keys) values ($1, 2))
       insert into organization_members (organization_id, user_id, role, is_admin)
       select id, user_id, role, is_admin from organization,
         (values ($2::uuid, 'owner', true), ($3, 'member', true), ($4, 'member', false)) member (user_id, role, is_admin)`,
      [studio, owner, admin, member],
    );
    const mark = randomUUID();
    await query(
      url,
      `insert into marks (id, name, search_name, visibility, license, admin_id, organization_id)
       values ($1, 'Mark', 'mark', 'public', 'MIT', $2, $3)`,
      [mark, admin, studio],
    );
    const insertKey = async (createdAt: string) => {
      const id = randomUUID();
      await query(
        url,
        `insert into api_keys (id, organization_id, name, token_hash, prefix, last4, created_at)
         values ($1, $2, 'key', sha256($1::uuid::text::bytea), 'svc_', 'last', $3)`,
        [id, studio, createdAt],
      );
      return id;
    };
    const [oldKey, newKey] = [await insertKey('2026-01-01'), await insertKey('2026-03-01')];
    await query(
      url,
      `insert into events (at, type, actor_id, organization_id, user_id)
       values ('2026-02-01', 'organization.transferred', $1, $2, $3)`,
      [former, studio, owner],
    );
    const insertWebhook = async (createdBy: string, ofOrganization = true) => {
      const id = randomUUID();
      await query(
        url,
        `insert into webhooks (id, user_id, organization_id, created_by, url, created_at, created_event_id, position, run_at)
         values ($1, $2, $3, $4, 'https://hooks.example', now(), 1, 0, now())`,
        [id, ofOrganization ? null : createdBy, ofOrganization ? studio : null, createdBy],
      );
      return id;
    };
    const ended = [await insertWebhook(former), await insertWebhook(member)];
    const kept = [await insertWebhook(owner), await insertWebhook(admin), await insertWebhook(member, false)];
    const insertInvitation = async (invitedBy: string, markId?: string) => {
      const id = randomUUID();
      await query(
        url,
        `insert into invitations (id, organization_id, mark_id, token_hash, requires_email, invited_by, expires_at)
         values ($1, $2, $3, sha256($1::uuid::text::bytea), false, $4, now() + interval '1 day')`,
        [id, markId === undefined ? studio : null, markId ?? null, invitedBy],
      );
      return id;
    };
    const withdrawn = [await insertInvitation(former), await insertInvitation(owner, mark)];
    const open = [await insertInvitation(owner), await insertInvitation(admin, mark)];

    await migrateToLatest({ connectionString: url });
    const ids = async (sql: string) => (await query<{ id: string }>(url, sql)).map(({ id }) => id);
    expect(await ids('select id from api_keys where revoked_at is null')).toEqual([newKey]);
    expect((await ids('select id from webhooks')).sort()).toEqual(kept.sort());
    expect((await ids('select id from invitations')).sort()).toEqual(open.sort());
    expect(await query(url, 'select id, created_by from api_keys order by created_at')).toEqual([
      { id: oldKey, created_by: former },
      { id: newKey, created_by: owner },
    ]);
    expect(await query(url, 'select api_keys from counters where owner_id = $1', [studio])).toEqual([{ api_keys: 1 }]);
    const events = await query<{ type: string; about: string }>(
      url,
      `select type, coalesce(key_id::text, data ->> 'webhookId', data ->> 'invitationId') as about
       from events where organization_id = $1 and actor_id is null`,
      [studio],
    );
    const about = (type: string) => events.filter((event) => event.type === type).map((event) => event.about);
    expect(about('key.revoked')).toEqual([oldKey]);
    expect(about('webhook.deleted').sort()).toEqual(ended.sort());
    expect(about('invitation.withdrawn').sort()).toEqual(withdrawn.sort());
  });
});

describe('a database from before members could leave', () => {
  it('keeps its members, and gives Marks of former members to the owner of the organization', async () => {
    const url = await createEarlierDatabase(inject('postgresUrl'), '0008');
    const [owner, member, former, organization] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const id of [owner, member, former]) {
      await query(url, `insert into users (id, name, tier) values ($1, 'Ada', 'enterprise')`, [id]);
    }
    await query(
      url,
      `insert into organizations (id, name, owner_id, purchased_units, member_count) values ($1, 'Studio', $2, 1, 2)`,
      [organization, owner],
    );
    await query(
      url,
      `insert into organization_members (organization_id, user_id, role) values ($1, $2, 'owner'), ($1, $3, 'member')`,
      [organization, owner, member],
    );
    const insertMark = async (adminId: string, ofOrganization: boolean) => {
      const id = randomUUID();
      await query(
        url,
        `insert into marks (id, name, search_name, visibility, license, admin_id, owner_id, organization_id)
         values ($1, 'Mark', 'mark', 'public', 'MIT', $2, $3, $4)`,
        [id, adminId, ofOrganization ? null : adminId, ofOrganization ? organization : null],
      );
      return id;
    };
    const marks = [await insertMark(former, true), await insertMark(member, true), await insertMark(former, false)];
    await query(url, 'insert into mark_members (mark_id, user_id) values ($1, $2)', [marks[0], former]);

    await migrateToLatest({ connectionString: url });
    const database = openDatabase({ connectionString: url });
    const store = createStore(database, createUseBuffers(database));
    const admins = await Promise.all(marks.map(async (id) => (await store.marks.find(id))?.admin.id));
    expect(admins).toEqual([owner, member, former]);
    const members = await store.organizations.listMembers(organization);
    expect(members.map(({ id }) => id).sort()).toEqual([owner, member].sort());
    // Members of a Mark were added to it by its admin, and stay.
    expect((await store.marks.find(marks[0] as string))?.members.map(({ id }) => id)).toEqual([former]);
    await database.destroy();
  });
});
