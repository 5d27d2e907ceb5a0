// Queries about organizations and their members.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { type InferResult, type SqlBool, sql } from 'kysely';
import type { Organizations } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';
import { isOpen } from './invitations.js';
import { countOrganization } from './organizationOverview.js';

export class OrganizationQueries extends Queries implements Organizations {
  private selectOrganization(id: string) {
    return this.database.selectFrom('organizations').where('id', '=', id);
  }

  private updateOrganization(id: string) {
    return this.database.updateTable('organizations').where('id', '=', id);
  }

  // Not "for update", which would wait for every row that refers to the organization.
  private lockOrganizations() {
    return this.database
      .selectFrom('organizations')
      .select(['id', 'owner_id as ownerId', 'status'])
      .select(['purchased_units as purchasedUnits', 'member_count as memberCount'])
      .forNoKeyUpdate();
  }

  async insert({ id, name, ownerId }: { id: string; name: string; ownerId: string }) {
    await this.database.insertInto('organizations').values({ id, name, owner_id: ownerId }).execute();
    await this.database
      .insertInto('organization_members')
      .values({ organization_id: id, user_id: ownerId, role: 'owner', is_admin: true })
      .execute();
    await this.database.insertInto('counters').values({ owner_id: id }).execute();
  }

  async listOf(userId: string) {
    const { rows } = await sql<MembershipRow>`
      ${selectMemberships} where membership.user_id = ${userId}
      order by organization.created_at, organization.id`.execute(this.database);
    return rows.map(toOrganization);
  }

  async findFor(id: string, userId: string) {
    const { rows } = await sql<MembershipRow>`
      ${selectMemberships} where membership.organization_id = ${id} and membership.user_id = ${userId}`.execute(
      this.database,
    );
    return rows[0] && toOrganization(rows[0]);
  }

  /** Every creation in an organization reads its owner and status. */
  private readonly findState = batchLoad(async (ids: readonly string[]) => {
    const { rows } = await sql<{ id: string; ownerId: string; status: Organization['status'] }>`
      select id, owner_id as "ownerId", status from organizations where id = any(${ids}::uuid[])`.execute(
      this.database,
    );
    return new Map(rows.map((row) => [row.id, row]));
  });

  async findOwnerId(id: string) {
    return (await this.findState(id))?.ownerId;
  }

  async findName(id: string) {
    return (await this.selectOrganization(id).select('name').executeTakeFirst())?.name;
  }

  async findStatus(id: string) {
    return (await this.findState(id))?.status;
  }

  lock(id: string) {
    return this.lockOrganizations().where('id', '=', id).executeTakeFirst();
  }

  lockOwnedBy(userId: string) {
    return this.lockOrganizations().where('owner_id', '=', userId).orderBy('id').execute();
  }

  async setPurchasedUnits(id: string, purchased: number) {
    await this.updateOrganization(id).set({ purchased_units: purchased }).execute();
  }

  count(id: string, now: Date) {
    return countOrganization(this.database, id, now);
  }

  async listMembers(id: string) {
    const rows = await selectMembers(this.database, id)
      .orderBy(sql`membership.role = 'owner'`, 'desc')
      .orderBy('membership.joined_at')
      .orderBy('person.id')
      .execute();
    return rows.map(toMember);
  }

  async findMember(id: string, userId: string) {
    const row = await selectMembers(this.database, id).where('membership.user_id', '=', userId).executeTakeFirst();
    return row && toMember(row);
  }

  async insertMember(id: string, userId: string, isAdmin: boolean) {
    await this.database
      .insertInto('organization_members')
      .values({ organization_id: id, user_id: userId, role: 'member', is_admin: isAdmin })
      .execute();
    await this.updateOrganization(id).set({ member_count: sql`member_count + 1` }).execute();
  }

  async setAdmin(id: string, userId: string, isAdmin: boolean) {
    await this.database
      .updateTable('organization_members')
      .set({ is_admin: isAdmin })
      .where('organization_id', '=', id)
      .where('user_id', '=', userId)
      .execute();
  }

  async deleteMembers(id: string, userIds: readonly string[]) {
    const { numDeletedRows } = await this.database
      .deleteFrom('organization_members')
      .where('organization_id', '=', id)
      .where(sql<SqlBool>`user_id = any(${userIds}::uuid[])`)
      .executeTakeFirstOrThrow();
    await this.updateOrganization(id)
      .set({ member_count: sql`member_count - ${numDeletedRows}::bigint` })
      .execute();
  }

  async setOwner(id: string, { from, to }: { from: string; to: string }) {
    await this.updateOrganization(id).set({ owner_id: to }).execute();
    await sql`
      update organization_members
      set role = case user_id when ${to} then 'owner' else 'member' end, is_admin = true
      where organization_id = ${id} and user_id in (${from}, ${to})`.execute(this.database);
  }

  async freeze(id: string) {
    await this.updateOrganization(id).set({ status: 'frozen', purchased_units: 0 }).execute();
  }

  async unfreeze(id: string) {
    await this.updateOrganization(id).set({ status: 'active' }).execute();
  }
}

interface MembershipRow extends Omit<Organization, 'usageUnits' | 'createdAt'> {
  readonly purchasedUnits: number;
  readonly memberCount: number;
  readonly openInvitations: number;
  readonly createdAt: Date;
}

/** One row for each membership, with the member's role. As text: to build it took a tenth of the CPU of `GET /me`. */
const selectMemberships = sql`
  select organization.id, organization.name, membership.role, owner.tier, organization.status,
    organization.purchased_units as "purchasedUnits", organization.member_count as "memberCount",
    organization.created_at as "createdAt",
    (
      select count(*)::integer from invitations invitation
      where invitation.organization_id = organization.id and ${isOpen}
    ) as "openInvitations"
  from organization_members membership
  join organizations organization on organization.id = membership.organization_id
  join users owner on owner.id = organization.owner_id`;

function toOrganization(row: MembershipRow): Organization {
  const { purchasedUnits, memberCount, openInvitations, createdAt, ...organization } = row;
  return {
    ...organization,
    usageUnits: { total: 1 + purchasedUnits, used: memberCount + openInvitations },
    createdAt: createdAt.toISOString(),
  };
}

function selectMembers(database: Database, id: string) {
  return database
    .selectFrom('organization_members as membership')
    .innerJoin('users as person', 'person.id', 'membership.user_id')
    .select(['person.id', 'person.name', 'membership.role'])
    .select(['membership.is_admin as isAdmin', 'membership.joined_at as joinedAt'])
    .where('membership.organization_id', '=', id);
}

function toMember(row: InferResult<ReturnType<typeof selectMembers>>[number]): OrganizationMember {
  return { ...row, joinedAt: row.joinedAt.toISOString() };
}
