// Queries about organizations.

import type { Organization } from '@provenance-registry/core';
import type { Organizations } from '../registry/ports.js';
import type { Database } from './connection.js';

export function organizationQueries(database: Database): Organizations {
  return {
    async listOf(userId): Promise<Organization[]> {
      const rows = await database
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
        ])
        .where('membership.user_id', '=', userId)
        .orderBy('organization.created_at')
        .orderBy('organization.id')
        .execute();
      return rows.map(({ purchased_units, member_count, created_at, ...organization }) => ({
        ...organization,
        usageUnits: { total: 1 + purchased_units, used: member_count },
        createdAt: created_at.toISOString(),
      }));
    },
  };
}
