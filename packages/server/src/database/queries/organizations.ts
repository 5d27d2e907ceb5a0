// Queries about organizations and their members.

import type { Organization, OrganizationMember } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { Organizations } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

export function organizationQueries(database: Database): Organizations {
  /** One row for each membership, with the member's role. */
  const selectMemberships = () =>
    database
      .selectFrom('organization_members as membership')
      .innerJoin('organizations as organization', 'organization.id', 'membership.organization_id')
      .innerJoin('users as owner', 'owner.id', 'organization.owner_id')
      .select([
        'organization.id',
        'organization.name',
        'membership.role',
        'owner.tier',
        'organization.status',
        'organization.purchased_units',
        'organization.member_count',
        'organization.created_at',
      ]);

  const selectMembers = (id: string) =>
    database
      .selectFrom('organization_members as membership')
      .innerJoin('users as person', 'person.id', 'membership.user_id')
      .select(['person.id', 'person.name', 'membership.role', 'membership.is_admin', 'membership.joined_at'])
      .where('membership.organization_id', '=', id);

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
      const rows = await selectMemberships()
        .where('membership.user_id', '=', userId)
        .orderBy('organization.created_at')
        .orderBy('organization.id')
        .execute();
      return rows.map(toOrganization);
    },

    async findFor(id, userId) {
      const row = await selectMemberships()
        .where('membership.organization_id', '=', id)
        .where('membership.user_id', '=', userId)
        .executeTakeFirst();
      return row && toOrganization(row);
    },

    async findOwnerId(id) {
      const row = await database.selectFrom('organizations').select('owner_id').where('id', '=', id).executeTakeFirst();
      return row?.owner_id;
    },

    async findStatus(id) {
      const row = await database.selectFrom('organizations').select('status').where('id', '=', id).executeTakeFirst();
      return row?.status;
    },

    lock: (id) =>
      database
        .selectFrom('organizations')
        .select(['status', 'purchased_units as purchasedUnits', 'member_count as memberCount'])
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst(),

    async setPurchasedUnits(id, purchased) {
      await database.updateTable('organizations').set({ purchased_units: purchased }).where('id', '=', id).execute();
    },

    async listMembers(id) {
      const rows = await selectMembers(id)
        .orderBy(sql`membership.role = 'owner'`, 'desc')
        .orderBy('membership.joined_at')
        .orderBy('person.id')
        .execute();
      return rows.map(toMember);
    },

    async findMember(id, userId) {
      const row = await selectMembers(id).where('membership.user_id', '=', userId).executeTakeFirst();
      return row && toMember(row);
    },

    async insertMember(id, userId, isAdmin) {
      await database
        .insertInto('organization_members')
        .values({ organization_id: id, user_id: userId, role: 'member', is_admin: isAdmin })
        .execute();
      await database
        .updateTable('organizations')
        .set({ member_count: sql`member_count + 1` })
        .where('id', '=', id)
        .execute();
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
      await database
        .updateTable('organizations')
        .set({ member_count: sql`member_count - 1` })
        .where('id', '=', id)
        .execute();
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

function toOrganization(
  row: Pick<Organization, 'id' | 'name' | 'role' | 'tier' | 'status'> & {
    purchased_units: number;
    member_count: number;
    created_at: Date;
  },
): Organization {
  const { purchased_units, member_count, created_at, ...organization } = row;
  return {
    ...organization,
    usageUnits: { total: 1 + purchased_units, used: member_count },
    createdAt: created_at.toISOString(),
  };
}

function toMember(
  row: Pick<OrganizationMember, 'id' | 'name' | 'role'> & { is_admin: boolean; joined_at: Date },
): OrganizationMember {
  const { is_admin, joined_at, ...member } = row;
  return { ...member, isAdmin: is_admin, joinedAt: joined_at.toISOString() };
}
