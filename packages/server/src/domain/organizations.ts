// Organizations: those who own Marks together.

import { randomUUID } from 'node:crypto';
import { normalizeEmail, type Organization, type OrganizationMember, RegistryError } from '@provenance-registry/core';
import { type Caller, confine } from './caller.js';
import type { OrganizationUnits, Ports, Store } from './ports/index.js';
import { lockOrganizationTier, requireMemberRoom, takePlace } from './tiers.js';

export async function createOrganization(ports: Ports, caller: Caller, name: string): Promise<Organization> {
  const id = randomUUID();
  confine(caller, id);
  await ports.store.transaction(async (store) => {
    const owner = await store.users.lock(caller.user.id, 'tier');
    if (!owner) throw new RegistryError('UNAUTHORIZED', 'The token speaks for nobody.');
    await takePlace(ports, store, owner, 'organizations');
    await store.organizations.insert({ id, name, ownerId: owner.id });
  });
  return seen(ports.store, caller, id);
}

export async function listOrganizations(ports: Ports, caller: Caller): Promise<Organization[]> {
  const all = await ports.store.organizations.listOf(caller.user.id);
  const { keyOrganizationId } = caller;
  return keyOrganizationId === undefined ? all : all.filter(({ id }) => id === keyOrganizationId);
}

export async function readOrganization(ports: Ports, caller: Caller, id: string): Promise<Organization> {
  return seen(ports.store, caller, id);
}

export async function listMembers(ports: Ports, caller: Caller, id: string): Promise<OrganizationMember[]> {
  await seen(ports.store, caller, id);
  return ports.store.organizations.members(id);
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
    refuseFrozen(units);
    const person = await store.users.findByEmail(normalizeEmail(request.email));
    if (!person) throw new RegistryError('NOT_FOUND', 'Nobody has that email address.');
    if (await store.organizations.findMember(id, person.id)) {
      throw new RegistryError('CONFLICT', 'That person is a member already.');
    }
    if (units.memberCount > units.purchasedUnits) {
      throw new RegistryError('USAGE_UNIT_LIMIT_REACHED', 'No usage unit is free: buy one first.');
    }
    // The owner uses a unit, and is not one of the members that the tier counts.
    requireMemberRoom(ports, owner, units.memberCount - 1);
    await store.organizations.insertMember(id, person.id, request.isAdmin ?? false);
    return member(store, id, person.id);
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
    refuseOwner(await member(store, id, userId));
    await store.organizations.setAdmin(id, userId, isAdmin);
    return member(store, id, userId);
  });
}

export async function removeMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    await lockUnits(store, id);
    refuseOwner(await member(store, id, userId));
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
    refuseFrozen(units);
    if (1 + purchased < units.memberCount) {
      throw new RegistryError('BAD_REQUEST', `${units.memberCount} usage units are in use.`);
    }
    await store.organizations.setPurchasedUnits(id, purchased);
  });
  return seen(ports.store, caller, id);
}

/** The organization, if the caller belongs to it; to anybody else it does not exist. */
async function seen(store: Store, caller: Caller, id: string): Promise<Organization> {
  confine(caller, id);
  const organization = await store.organizations.findFor(id, caller.user.id);
  if (!organization) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return organization;
}

/** Members know that it exists, and that they may not; others do not even know that. */
async function requireOwner(store: Store, caller: Caller, id: string): Promise<void> {
  const { role } = await seen(store, caller, id);
  if (role !== 'owner') throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may do this.');
}

async function lockUnits(store: Store, id: string): Promise<OrganizationUnits> {
  const units = await store.organizations.lock(id);
  if (!units) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return units;
}

function refuseFrozen({ status }: OrganizationUnits): void {
  if (status === 'frozen') throw new RegistryError('TIER_RESTRICTION', 'The organization is frozen.');
}

async function member(store: Store, id: string, userId: string): Promise<OrganizationMember> {
  const found = await store.organizations.findMember(id, userId);
  if (!found) throw new RegistryError('NOT_FOUND', 'The organization has no such member.');
  return found;
}

function refuseOwner({ role }: OrganizationMember): void {
  if (role === 'owner') throw new RegistryError('BAD_REQUEST', 'The owner stays the owner, and can do everything.');
}
