// The organizations whose webhooks the user manages: as their owner, or as an admin member.

import type { Organization } from '@provenance-registry/core';
import type { Account } from '../account.js';

export async function listAdministered(
  { client, user, organizations }: Pick<Account, 'client' | 'user' | 'organizations'>,
  signal: AbortSignal,
): Promise<Organization[]> {
  const isAdministered = async ({ id: organizationId, role }: Organization) => {
    if (role === 'owner') return true;
    const members = await client.listOrganizationMembers({ organizationId }, { signal });
    return members.some(({ id, isAdmin }) => id === user.id && isAdmin);
  };
  const answers = await Promise.all(organizations.map(isAdministered));
  return organizations.filter((_, index) => answers[index]);
}
