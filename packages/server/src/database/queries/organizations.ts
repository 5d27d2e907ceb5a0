// Queries about organizations and their members.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { type InferResult, sql } from 'kysely';
import type { Organizations } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

export function organizationQueries(database: Database): Organizations {
  const selectOrganization = (id: string) => database.selectFrom('organizations').where('id', '=', id);
  const updateOrganization = (id: string) => database.updateTable('organizations').where('id', '=', id);
  const updateOwnedBy = (userId: string) => database.updateTable('organizations').where('owner_id', '=', userId);

  return {
    async insert({ id, name, ownerId }) {
      await database.insertInto('organizations').values({ id, name, owner_id: ownerId }).execute();
      await database
        .insertInto('organization_members')
        .values({ organization_id: id, user_id: ownerId, role: 'owner', is_admin: true })
        .execute();
      await database.insertInto('counters').values({ owner_id: id }).execute();
    },

    async listOf(userId) {
      const rows = await selectMemberships(database)
        .where('membership.user_id', '=', userId)
        .orderBy('organization.created_at')
        .orderBy('organization.id')
        .execute();
      return rows.map(toOrganization);
    },

    async findFor(id, userId) {
      const row = await selectMemberships(database)
        .where('membership.organization_id', '=', id)
        .where('membership.user_id', '=', userId)
        .executeTakeFirst();
      return row && toOrganization(row);
    },

    findOwnerId: async (id) => (await selectOrganization(id).select('owner_id').executeTakeFirst())?.owner_id,

    findStatus: async (id) => (await selectOrganization(id).select('status').executeTakeFirst())?.status,

    lock: (id) =>
      selectOrganization(id)
        .select(['status', 'purchased_units as purchasedUnits', 'member_count as memberCount'])
        .forUpdate()
        .executeTakeFirst(),

    async setPurchasedUnits(id, purchased) {
      await updateOrganization(id).set({ purchased_units: purchased }).execute();
    },

    async listMembers(id) {
      const rows = await selectMembers(database, id)
        .orderBy(sql`membership.role = 'owner'`, 'desc')
        .orderBy('membership.joined_at')
        .orderBy('person.id')
        .execute();
      return rows.map(toMember);
    },

    async findMember(id, userId) {
      const row = await selectMembers(database, id).where('membership.user_id', '=', userId).executeTakeFirst();
      return row && toMember(row);
    },

    async insertMember(id, userId, isAdmin) {
      await database
        .insertInto('organization_members')
        .values({ organization_id: id, user_id: userId, role: 'member', is_admin: isAdmin })
        .execute();
      await updateOrganization(id).set({ member_count: sql`member_count + 1` }).execute();
    },

    async setAdmin(id, userId, isAdmin) {
      await database
        .updateTable('organization_members')
        .set({ is_admin: isAdmin })
        .where('organization_id', '=', id)
        .where('user_id', '=', userId)
        .execute();
    },

    async deleteMember(id, userId) {
      await database
        .deleteFrom('organization_members')
        .where('organization_id', '=', id)
        .where('user_id', '=', userId)
        .execute();
      await updateOrganization(id).set({ member_count: sql`member_count - 1` }).execute();
    },

    async freezeOwnedBy(userId) {
      await updateOwnedBy(userId).set({ status: 'frozen', purchased_units: 0, member_count: 1 }).execute();
      await database
        .deleteFrom('organization_members')
        .where('role', '=', 'member')
        .where('organization_id', 'in', (from) =>
          from.selectFrom('organizations').select('id').where('owner_id', '=', userId),
        )
        .execute();
    },

    async unfreezeOwnedBy(userId) {
      await updateOwnedBy(userId).set({ status: 'active' }).execute();
    },
  };
}

/** One row for each membership, with the member's role. */
function selectMemberships(database: Database) {
  return database
    .selectFrom('organization_members as membership')
    .innerJoin('organizations as organization', 'organization.id', 'membership.organization_id')
    .innerJoin('users as owner', 'owner.id', 'organization.owner_id')
    .select(['organization.id', 'organization.name', 'membership.role', 'owner.tier', 'organization.status'])
    .select([
      'organization.purchased_units as purchasedUnits',
      'organization.member_count as memberCount',
      'organization.created_at as createdAt',
    ]);
}

function toOrganization(row: InferResult<ReturnType<typeof selectMemberships>>[number]): Organization {
  const { purchasedUnits, memberCount, createdAt, ...organization } = row;
  return {
    ...organization,
    usageUnits: { total: 1 + purchasedUnits, used: memberCount },
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
