// Queries about Marks and their members.

import {
  aiPreferencesOf,
  foldForSearch,
  type GalleryMark,
  licenses,
  type Mark,
  nameSkeleton,
  type Person,
} from '@provenance-registry/core';
import { type Expression, type InferResult, type SqlBool, sql } from 'kysely';
import type {
  AuthorizedMark,
  MarkChanges,
  Marks,
  NewMark,
  WritableArtifactsPage,
  WritableMark,
} from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';

export class MarkQueries extends Queries implements Marks {
  private async list(condition: Expression<SqlBool>): Promise<Mark[]> {
    return (await listForWriting(this.database, condition)).map(({ mark }) => mark);
  }

  readonly findForWriting = batchLoad(async (ids: readonly string[]) => {
    const marks = await listForWriting(this.database, sql<SqlBool>`mark.id = any(${ids}::uuid[])`);
    return new Map(marks.map((writable) => [writable.mark.id, writable]));
  });

  async find(id: string) {
    return (await this.findForWriting(id))?.mark;
  }

  async insert({ id, adminId, owner, ...fields }: NewMark) {
    await this.database
      .insertInto('marks')
      .values({
        id,
        name: fields.name,
        ...searchForms(fields.name),
        visibility: fields.visibility,
        license: fields.license,
        allow_ai_training: fields.allowAiTraining,
        ai_preferences: fields.aiPreferences,
        admin_id: adminId,
        owner_id: 'userId' in owner ? owner.userId : null,
        organization_id: 'organizationId' in owner ? owner.organizationId : null,
      })
      .execute();
    await this.database
      .insertInto('mark_counters')
      .values({ mark_id: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async lock(id: string) {
    // In a statement of its own, so that the next one sees what concurrent transactions have committed.
    await lockMarks(this.database, sql<SqlBool>`id = ${id}`);
    return this.find(id);
  }

  async update(id: string, changes: MarkChanges) {
    const columns = toColumns(changes);
    if (Object.keys(columns).length === 0) return;
    await this.database.updateTable('marks').set(columns).where('id', '=', id).execute();
  }

  async setRepresentative(id: string, representativeId: string | null) {
    await this.database.updateTable('marks').set({ represented_by: representativeId }).where('id', '=', id).execute();
  }

  listWritableBy(userId: string) {
    return this.list(isWritableBy({ userId }));
  }

  listOfOrganization(organizationId: string) {
    return this.list(isWritableBy({ organizationId }));
  }

  async insertMember(id: string, userId: string) {
    const { numInsertedOrUpdatedRows } = await this.database
      .insertInto('mark_members')
      .values({ mark_id: id, user_id: userId })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async deleteMember(id: string, userId: string) {
    const { numDeletedRows } = await this.database
      .deleteFrom('mark_members')
      .where('mark_id', '=', id)
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    await this.database.updateTable('marks').set(nextAccessVersion).where('id', '=', id).execute();
    return numDeletedRows === 1n;
  }

  async setAdmin(id: string, userId: string) {
    await this.database
      .updateTable('marks')
      .set({ admin_id: userId, ...nextAccessVersion })
      .where('id', '=', id)
      .execute();
  }

  async revokeInOrganization(
    organizationId: string,
    { userIds, adminId }: { userIds: readonly string[]; adminId: string },
  ) {
    await lockMarks(this.database, sql<SqlBool>`organization_id = ${organizationId}`);
    await sql`
      delete from mark_members using marks
      where marks.id = mark_id and organization_id = ${organizationId} and user_id = any(${userIds}::uuid[])`.execute(
      this.database,
    );
    const { rows } = await sql<{ id: string }>`
      with passed as materialized (
        select id from marks where organization_id = ${organizationId} and admin_id = any(${userIds}::uuid[])
      ), updated as (
        update marks set
          access_version = access_version + 1,
          admin_id = case when id in (select id from passed) then ${adminId}::uuid else admin_id end
        where organization_id = ${organizationId}
      )
      select id from passed order by id`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  async revokeAll(userId: string) {
    const isInvolved = sql<SqlBool>`(
      ${userId}::uuid in (admin_id, owner_id) or id in (select mark_id from mark_members where user_id = ${userId})
      or organization_id in (select id from organizations where owner_id = ${userId})
    )`;
    await lockMarks(this.database, isInvolved);
    const { rows } = await sql<{ id: string }>`
      with passed as materialized (
        select id from marks where admin_id = ${userId} and owner_id <> ${userId}
      ), updated as (
        update marks set
          access_version = access_version + 1,
          admin_id = case when id in (select id from passed) then owner_id else admin_id end
        where ${isInvolved}
      ), deleted as (
        delete from mark_members where user_id = ${userId}
      )
      select id from passed order by id`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  async deleteUnused(userId: string) {
    const isOwned = sql<SqlBool>`(
      owner_id = ${userId} or organization_id in (select id from organizations where owner_id = ${userId})
    )`;
    // No Artifact or claim can be added while they are locked, and the next statement sees those that were.
    await this.database.selectFrom('marks').select('id').where(isOwned).orderBy('id').forUpdate().execute();
    await sql`
      with deleted as (
        delete from marks where ${isOwned}
          and not exists (select 1 from artifacts where mark_id = marks.id)
          and not exists (select 1 from claims where mark_id = marks.id)
          and not exists (select 1 from claim_entries where mark_id = marks.id)
        returning coalesce(owner_id, organization_id) as counted_for
      )
      update counters set marks = marks - number
      from (select counted_for, count(*)::integer as number from deleted group by 1) of_owner
      where counters.owner_id = counted_for`.execute(this.database);
  }

  async listGallery({ query, limit, after }: { query: string; limit: number; after: string | undefined }) {
    const ofGallery = selectMarks(this.database).where('mark.visibility', '=', 'public');
    if (after !== undefined && !(await ofGallery.where('mark.id', '=', after).executeTakeFirst())) return undefined;
    let page = ofGallery.orderBy('mark.created_at', 'desc').orderBy('mark.id', 'desc').limit(limit);
    if (query) page = page.where('mark.search_name', 'like', `%${foldForSearch(query).replace(/[\\%_]/g, '\\$&')}%`);
    if (after !== undefined) {
      page = page.where(
        sql<SqlBool>`(mark.created_at, mark.id) < (select created_at, id from marks where id = ${after})`,
      );
    }
    return (await page.execute()).map(toGalleryMark);
  }

  async listNamesakes(name: string, limit: number) {
    const namesakes = selectMarks(this.database)
      .where('mark.visibility', '=', 'public')
      .where('mark.name_skeleton', '=', nameSkeleton(name));
    const rows = await namesakes.orderBy('mark.created_at').orderBy('mark.id').limit(limit).execute();
    return rows.map(toGalleryMark);
  }

  async addMissingSkeletons(limit: number) {
    await this.database.transaction().execute(async (transaction) => {
      // Waits for no lock, so that it cannot deadlock with creations, which lock several Marks.
      const { rows } = await sql<{ id: string; name: string }>`
        select id, name from marks where name_skeleton is null limit ${limit}
        for no key update skip locked`.execute(transaction);
      if (rows.length === 0) return;
      await sql`
        update marks set name_skeleton = computed.skeleton
        from unnest(
          ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ name }) => nameSkeleton(name))}::text[]
        ) as computed (id, skeleton)
        where marks.id = computed.id`.execute(transaction);
    });
  }
}

/** Whether a user, or an API key of the organization, may register under a row of `marks as mark`. */
export function isWritableBy(writer: WritableArtifactsPage['writer']): Expression<SqlBool> {
  if ('organizationId' in writer) return sql<SqlBool>`mark.organization_id = ${writer.organizationId}`;
  const { userId } = writer;
  return sql<SqlBool>`(
    ${userId}::uuid in (mark.admin_id, mark.owner_id)
    or mark.id in (select mark_id from mark_members where user_id = ${userId})
    or mark.organization_id in (select organization_id from organization_members where user_id = ${userId})
  )`;
}

/**
 * Whether a row of `marks` is this Mark, as it was when the caller was authorized: no user has lost access to it since, and it
 * has not become public or private.
 */
export function isAuthorizedMark({ markId, accessVersion, visibility }: AuthorizedMark) {
  return sql<SqlBool>`(id = ${markId} and access_version = ${accessVersion} and visibility = ${visibility})`;
}

/** The forms of a name in which it is searched and compared. */
function searchForms(name: string) {
  return { search_name: foldForSearch(name), name_skeleton: nameSkeleton(name) };
}

/** A registration that was authorized with an earlier version is authorized again before it is recorded. */
const nextAccessVersion = { access_version: sql<number>`access_version + 1` };

/** Locks Marks in the order of ids, as creations do. "for update" would wait for every row of a Mark. */
async function lockMarks(database: Database, condition: Expression<SqlBool>): Promise<void> {
  await database.selectFrom('marks').select('id').where(condition).orderBy('id').forNoKeyUpdate().execute();
}

async function listForWriting(database: Database, condition: Expression<SqlBool>): Promise<WritableMark[]> {
  const marks = selectMarks(database).select(members).select('mark.access_version').where(condition);
  const rows = await marks.orderBy('mark.created_at').orderBy('mark.id').execute();
  return rows.map((row) => ({
    mark: { ...toGalleryMark(row), members: row.members },
    accessVersion: row.access_version,
    confirmedDomains: (row.verified_domains ?? [])
      .filter(({ isFailing }) => !isFailing)
      .map(({ domain, method, since }) => ({ domain, method, since: new Date(since), until: null })),
  }));
}

function toColumns({ name, visibility, license, allowAiTraining, aiPreferences }: MarkChanges) {
  return {
    ...(name !== undefined && { name, ...searchForms(name) }),
    ...(visibility !== undefined && { visibility }),
    ...(license !== undefined && { license }),
    ...(allowAiTraining !== undefined && { allow_ai_training: allowAiTraining }),
    ...(aiPreferences !== undefined && { ai_preferences: aiPreferences }),
  };
}

function selectMarks(database: Database) {
  return database
    .selectFrom('marks as mark')
    .innerJoin('users as admin', 'admin.id', 'mark.admin_id')
    .leftJoin('users as owner', 'owner.id', 'mark.owner_id')
    .leftJoin('organizations as organization', 'organization.id', 'mark.organization_id')
    .select(['mark.id', 'mark.name', 'mark.visibility', 'mark.license', 'mark.created_at'])
    .select(['mark.allow_ai_training', 'mark.ai_preferences'])
    .select(['admin.id as admin_id', 'admin.name as admin_name', 'owner.id as owner_id', 'owner.name as owner_name'])
    .leftJoin('users as organization_owner', 'organization_owner.id', 'organization.owner_id')
    .select(['organization.id as organization_id', 'organization.name as organization_name'])
    .select(sql<boolean>`coalesce(owner.closed_at, organization_owner.closed_at) is not null`.as('is_closed'))
    .leftJoin('mark_counters', 'mark_counters.mark_id', 'mark.id')
    .leftJoin('marks as representative', (join) =>
      // One that was made private later is not shown.
      join.onRef('representative.id', '=', 'mark.represented_by').on('representative.visibility', '=', 'public'),
    )
    .select(['mark_counters.artifacts', 'representative.id as representative_id'])
    .select('representative.name as representative_name')
    .select([verifiedDomains, namesakeCount]);
}

const verifiedDomains = sql<VerifiedDomainRow[] | null>`(
  select json_agg(json_build_object(
    'domain', domain, 'method', method, 'since', verified_at, 'lastChecked', last_success_at,
    'isFailing', failing_since is not null
  ) order by verified_at, domain)
  from mark_domains where mark_domains.mark_id = mark.id and verified_at is not null and ended_at is null
)`.as('verified_domains');

/** JSON has times with microseconds and an offset. */
interface VerifiedDomainRow {
  readonly domain: string;
  readonly method: 'dns' | 'file';
  readonly since: string;
  readonly lastChecked: string;
  readonly isFailing: boolean;
}

/** Beyond this, the exact number tells nothing more. */
const MAX_NAMESAKES = 100;

const namesakeCount = sql<number>`(
  select count(*)::integer from (
    select 1 from marks namesake
    where mark.visibility = 'public' and namesake.visibility = 'public'
      and namesake.name_skeleton = mark.name_skeleton and namesake.id <> mark.id
    limit ${sql.lit(MAX_NAMESAKES)}
  ) namesakes
)`.as('namesake_count');

const members = sql<Person[]>`(
  select coalesce(json_agg(json_build_object('id', person.id, 'name', person.name) order by membership.added_at, person.id), '[]')
  from mark_members membership join users person on person.id = membership.user_id
  where membership.mark_id = mark.id and person.id is distinct from mark.admin_id and person.id is distinct from mark.owner_id
)`.as('members');

function toGalleryMark(row: InferResult<ReturnType<typeof selectMarks>>[number]): GalleryMark {
  return {
    id: row.id,
    name: row.name,
    visibility: row.visibility,
    license: licenses[row.license],
    licenseKey: row.license,
    allowAiTraining: row.allow_ai_training,
    aiPreferences: aiPreferencesOf({ allowAiTraining: row.allow_ai_training, aiPreferences: row.ai_preferences }),
    admin: { id: row.admin_id, name: row.admin_name },
    owner: toReference(row.owner_id, row.owner_name),
    organization: toReference(row.organization_id, row.organization_name),
    createdAt: row.created_at.toISOString(),
    isClosed: row.is_closed,
    verifiedDomains: (row.verified_domains ?? []).map(({ domain, method, since, lastChecked }) => ({
      domain,
      method,
      since: new Date(since).toISOString(),
      lastChecked: new Date(lastChecked).toISOString(),
    })),
    artifactCount: Number(row.artifacts ?? 0),
    namesakeCount: row.namesake_count,
    representedBy: toReference(row.representative_id, row.representative_name),
  };
}

function toReference(id: string | null, name: string | null) {
  return id === null || name === null ? null : { id, name };
}
