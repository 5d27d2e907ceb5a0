// Organizations: users who own Marks together.

import { randomUUID } from 'node:crypto';
import {
  type Organization,
  type OrganizationMember,
  type OrganizationOverview,
  RegistryError,
  type RegistryEvent,
} from '@provenance-registry/core';
import { type Caller, lockCaller, requireMembership, requireOwnOrganization, requireUserForAdmins } from '../caller.js';
import { notAdminError, notOwnerError } from '../errors.js';
import { type PageRequest, readPage } from '../pages.js';
import type { LockedOrganization, Ports, Store } from '../ports/index.js';
import { takeQuota } from '../tiers.js';

export async function createOrganization(ports: Ports, caller: Caller, name: string): Promise<Organization> {
  const id = randomUUID();
  requireOwnOrganization(caller, id);
  await ports.store.transaction(async (store) => {
    const owner = await lockCaller(store, caller);
    await takeQuota(ports, store, owner, 'organizations');
    await store.organizations.insert({ id, name, ownerId: owner.id });
    await store.events.append({ type: 'organization.created', actorId: owner.id, organizationId: id });
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

/** Counts by member are for those who may see the history, which names who did what. */
export async function readOverview(ports: Ports, caller: Caller, id: string): Promise<OrganizationOverview> {
  await requireMembership(ports.store, caller, id);
  const { total, inProgress, failed, byMember, ...counts } = await ports.store.organizations.count(id, ports.clock());
  return {
    artifacts: {
      total,
      today: counts.days.at(-1)?.artifacts ?? 0,
      last30Days: counts.days.reduce((sum, { artifacts }) => sum + artifacts, 0),
      onChain: total - inProgress,
      inProgress,
      failed,
    },
    ...counts,
    byMember: (await isAdmin(ports.store, caller, id)) ? byMember : null,
  };
}

export async function listMembers(ports: Ports, caller: Caller, id: string): Promise<OrganizationMember[]> {
  await requireMembership(ports.store, caller, id);
  return ports.store.organizations.listMembers(id);
}

export async function setMemberAdmin(
  ports: Ports,
  caller: Caller,
  id: string,
  userId: string,
  isAdmin: boolean,
): Promise<OrganizationMember> {
  return ports.store.transaction(async (store) => {
    await lockOwnOrganization(store, caller, id);
    requireUserForAdmins(caller);
    const member = await requireMember(store, id, userId);
    if (member.role === 'owner') throw new RegistryError('BAD_REQUEST', "The owner's role cannot be changed.");
    if (member.isAdmin === isAdmin) return member;
    await store.organizations.setAdmin(id, userId, isAdmin);
    await store.events.append({
      type: 'member.role_changed',
      actorId: caller.user.id,
      organizationId: id,
      userId,
      data: { isAdmin },
    });
    await store.grants.endUnfounded({ organizationId: id }, caller.user.id);
    return { ...member, isAdmin };
  });
}

export async function setUsageUnits(
  ports: Ports,
  caller: Caller,
  id: string,
  purchased: number,
): Promise<Organization> {
  await ports.store.transaction(async (store) => {
    const organization = await lockOwnOrganization(store, caller, id);
    requireNotFrozen(organization);
    const used = await countUsedUnits(store, organization);
    if (1 + purchased < used) throw new RegistryError('BAD_REQUEST', `${used} usage units are in use.`);
    const { purchasedUnits } = organization;
    if (purchased === purchasedUnits) return;
    await store.organizations.setPurchasedUnits(id, purchased);
    await store.events.append({
      type: 'organization.units_changed',
      actorId: caller.user.id,
      organizationId: id,
      data: { from: purchasedUnits, to: purchased },
    });
  });
  return requireMembership(ports.store, caller, id);
}

/** Who did what and when, newest first. */
export async function listEvents(
  ports: Ports,
  caller: Caller,
  id: string,
  page: PageRequest,
): Promise<{ events: RegistryEvent[]; nextCursor: string | null }> {
  await requireAdmin(ports.store, caller, id);
  const { rows, nextCursor } = await readPage(page, (limit, before) =>
    ports.store.events.listOfOrganization({ organizationId: id, limit, before }),
  );
  return { events: rows, nextCursor };
}

/** Throws FORBIDDEN for other members, and NOT_FOUND for everyone else. */
export async function requireAdmin(store: Store, caller: Caller, id: string): Promise<void> {
  await requireMembership(store, caller, id);
  if (!(await isAdmin(store, caller, id))) throw notAdminError();
}

/** True for admin members, and for the owner. */
export async function isAdmin(store: Store, { user }: Caller, id: string): Promise<boolean> {
  return (await store.organizations.findMember(id, user.id))?.isAdmin ?? false;
}

/** Throws FORBIDDEN for members, and NOT_FOUND for everyone else. */
export async function requireOwner(store: Store, caller: Caller, id: string): Promise<void> {
  const { role } = await requireMembership(store, caller, id);
  if (role !== 'owner') throw notOwnerError();
}

export async function lockOrganization(store: Store, id: string): Promise<LockedOrganization> {
  const organization = await store.organizations.lock(id);
  if (!organization) throw new RegistryError('NOT_FOUND', 'There is no such organization.');
  return organization;
}

/** Locks the organization; throws as `requireOwner` does. */
export async function lockOwnOrganization(store: Store, caller: Caller, id: string): Promise<LockedOrganization> {
  await requireMembership(store, caller, id);
  const organization = await lockOrganization(store, id);
  if (organization.ownerId !== caller.user.id) throw notOwnerError();
  return organization;
}

/** Members and open invitations. The organization is locked. */
export async function countUsedUnits(store: Store, { id, memberCount }: LockedOrganization): Promise<number> {
  return memberCount + (await store.invitations.countOf({ organizationId: id }));
}

export function requireNotFrozen({ status }: LockedOrganization): void {
  if (status === 'frozen') throw new RegistryError('TIER_RESTRICTION', 'The organization is frozen.');
}

export async function requireMember(store: Store, id: string, userId: string): Promise<OrganizationMember> {
  const member = await store.organizations.findMember(id, userId);
  if (!member) throw new RegistryError('NOT_FOUND', 'The organization has no such member.');
  return member;
}
