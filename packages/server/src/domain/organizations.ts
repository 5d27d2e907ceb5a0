// Organizations: users who own Marks together.

import { randomUUID } from 'node:crypto';
import { normalizeEmail, type Organization, type OrganizationMember, RegistryError } from '@provenance-registry/core';
import { type Caller, requireMembership, requireOwnOrganization } from './caller.js';
import type { OrganizationUnits, Ports, Store } from './ports/index.js';
import { lockOrganizationTier, requireMemberQuota, takeQuota } from './tiers.js';

export async function createOrganization(ports: Ports, caller: Caller, name: string): Promise<Organization> {
  const id = randomUUID();
  requireOwnOrganization(caller, id);
  await ports.store.transaction(async (store) => {
    const owner = await store.users.lock(caller.user.id, 'tier');
    if (!owner) throw new RegistryError('UNAUTHORIZED', 'The token belongs to no user.');
    await takeQuota(ports, store, owner, 'organizations');
    await store.organizations.insert({ id, name, ownerId: owner.id });
  });
  return requireMembership(ports.store, caller, id);
}

export async function listOrganizations(ports: Ports, caller: Caller): Promise<Organization[]> {
  const all = await ports.store.organizations.listOf(caller.user.id);
  const { keyOrganizationId } = caller;
  return keyOrganizationId === undefined ? all : all.filter(({ id }) => id === keyOrganizationId);
}

export async function readOrganization(ports: Ports, caller: Caller, id: string): Promise<Organization> {
  return requireMembership(ports.store, caller, id);
}

export async function listMembers(ports: Ports, caller: Caller, id: string): Promise<OrganizationMember[]> {
  await requireMembership(ports.store, caller, id);
  return ports.store.organizations.listMembers(id);
}

export async function addMember(
  ports: Ports,
  caller: Caller,
  id: string,
  request: { email: string; isAdmin?: boolean },
): Promise<OrganizationMember> {
  return ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    const owner = await lockOrganizationTier(store, id);
    if (!owner) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
    const units = await lockUnits(store, id);
    requireNotFrozen(units);
    const person = await store.users.findByEmail(normalizeEmail(request.email));
    if (!person) throw new RegistryError('NOT_FOUND', 'No user has that email address.');
    if (await store.organizations.findMember(id, person.id)) {
      throw new RegistryError('CONFLICT', 'That user is a member already.');
    }
    if (units.memberCount > units.purchasedUnits) {
      throw new RegistryError('USAGE_UNIT_LIMIT_REACHED', 'All usage units are in use. Purchase another one first.');
    }
    // The owner uses a unit, but is not one of the members that the tier counts.
    requireMemberQuota(ports, owner, units.memberCount - 1);
    await store.organizations.insertMember(id, person.id, request.isAdmin ?? false);
    return findMember(store, id, person.id);
  });
}

export async function setMemberAdmin(
  ports: Ports,
  caller: Caller,
  id: string,
  userId: string,
  isAdmin: boolean,
): Promise<OrganizationMember> {
  return ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    await lockUnits(store, id);
    requireNotOwner(await findMember(store, id, userId));
    await store.organizations.setAdmin(id, userId, isAdmin);
    return findMember(store, id, userId);
  });
}

export async function removeMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    await lockUnits(store, id);
    requireNotOwner(await findMember(store, id, userId));
    await store.organizations.deleteMember(id, userId);
  });
}

export async function setUsageUnits(
  ports: Ports,
  caller: Caller,
  id: string,
  purchased: number,
): Promise<Organization> {
  await ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    const units = await lockUnits(store, id);
    requireNotFrozen(units);
    if (1 + purchased < units.memberCount) {
      throw new RegistryError('BAD_REQUEST', `${units.memberCount} usage units are in use.`);
    }
    await store.organizations.setPurchasedUnits(id, purchased);
  });
  return requireMembership(ports.store, caller, id);
}

/** Throws FORBIDDEN for members, and NOT_FOUND for everyone else. */
async function requireOwner(store: Store, caller: Caller, id: string): Promise<void> {
  const { role } = await requireMembership(store, caller, id);
  if (role !== 'owner') throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
}

async function lockUnits(store: Store, id: string): Promise<OrganizationUnits> {
  const units = await store.organizations.lock(id);
  if (!units) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return units;
}

function requireNotFrozen({ status }: OrganizationUnits): void {
  if (status === 'frozen') throw new RegistryError('TIER_RESTRICTION', 'The organization is frozen.');
}

async function findMember(store: Store, id: string, userId: string): Promise<OrganizationMember> {
  const member = await store.organizations.findMember(id, userId);
  if (!member) throw new RegistryError('NOT_FOUND', 'The organization has no such member.');
  return member;
}

function requireNotOwner({ role }: OrganizationMember): void {
  if (role === 'owner') throw new RegistryError('BAD_REQUEST', 'The owner cannot be changed or removed.');
}
