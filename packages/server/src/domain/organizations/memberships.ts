// Memberships: leaving and removal, hand-over of Marks, transfer of organizations, and what a tier change does to them.
// A user who loses access loses all of it when the transaction ends.

import { type Mark, type Organization, RegistryError, type Tier } from '@provenance-registry/core';
import { notifyUser } from '../accounts/notices.js';
import {
  type Caller,
  requireMembership,
  requireOwnOrganization,
  requireUserForAdmins,
  requireUserSession,
} from '../caller.js';
import { notOwnerError } from '../errors.js';
import { appendMarkEvent, findMark, lockMarkInOrganization } from '../marks/marks.js';
import type { LockedOrganization, NewEvent, Ports, Store } from '../ports/index.js';
import { takeQuota } from '../tiers.js';
import { lockOrganization, requireMember, requireOwner } from './organizations.js';

/** Removes a member: by the owner, or by the member itself, who leaves. */
export async function removeMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    await requireMembership(store, caller, id);
    const organization = await lockOrganization(store, id);
    const isLeaving = userId === caller.user.id;
    if (!isLeaving && caller.user.id !== organization.ownerId) {
      throw new RegistryError('FORBIDDEN', 'Only the owner of the organization may remove other members.');
    }
    if (userId === organization.ownerId) {
      throw new RegistryError('BAD_REQUEST', 'The owner cannot be removed. Transfer the organization first.');
    }
    const { isAdmin } = await requireMember(store, id, userId);
    if (isAdmin) requireUserForAdmins(caller);
    await removeFromOrganization(store, organization, [userId], {
      type: isLeaving ? 'member.left' : 'member.removed',
      actorId: caller.user.id,
    });
    await store.grants.endUnfounded({ organizationId: id }, caller.user.id);
  });
}

/** Removes the other members of the user's organizations, which end with the account. The user is locked. */
export async function removeAllMembers(store: Store, ownerId: string): Promise<void> {
  for (const organization of await store.organizations.lockOwnedBy(ownerId)) {
    await removeOtherMembers(store, organization, undefined);
  }
}

/** Takes all access of this user to what others own, as part of closing the account. The user is locked. */
export async function leaveAllOrganizations(store: Store, userId: string): Promise<void> {
  const organizations = (await store.organizations.listOf(userId)).filter(({ role }) => role === 'member');
  for (const id of organizations.map((organization) => organization.id).sort()) {
    const organization = await lockOrganization(store, id);
    // Removed by a concurrent transaction.
    if (!(await store.organizations.findMember(id, userId))) continue;
    await removeFromOrganization(store, organization, [userId], { type: 'member.left', actorId: userId });
  }
  for (const markId of await store.marks.revokeAll(userId)) {
    const { owner } = await findMark(store, markId);
    const passed = { type: 'mark.admin_changed', isUnlimited: true } as const;
    await store.events.append({ ...passed, actorId: userId, markId, userId: owner?.id });
  }
}

/** Makes a member the owner. The caller stays as an admin member, unless the new owner's tier freezes the organization. */
export async function transferOrganization(
  ports: Ports,
  caller: Caller,
  id: string,
  userId: string,
): Promise<Organization> {
  requireUserSession(caller);
  const formerOwnerId = caller.user.id;
  return ports.store.transaction(async (store) => {
    await requireOwner(store, caller, id);
    if (userId === formerOwnerId) throw new RegistryError('BAD_REQUEST', 'You own the organization already.');
    await requireMember(store, id, userId);
    const [formerOwner, owner] = await lockUsers(store, formerOwnerId, userId);
    const organization = await lockOrganization(store, id);
    if (organization.ownerId !== formerOwnerId) throw notOwnerError();
    await requireMember(store, id, userId);
    if (!formerOwner || !owner) throw new RegistryError('NOT_FOUND', 'The organization has no such member.');

    await takeQuota(ports, store, owner, 'organizations');
    await store.counters.release(formerOwnerId, 'organizations');
    await store.organizations.setOwner(id, { from: formerOwnerId, to: userId });
    await store.events.append({
      type: 'organization.transferred',
      actorId: formerOwnerId,
      organizationId: id,
      userId,
    });
    await notifyUser(ports, store, owner, 'organization-received', { organizationId: id });
    // Registrations under way count for the new owner's tier.
    await store.marks.revokeInOrganization(id, { userIds: [], adminId: userId });
    await applyTier(
      store,
      { ...organization, ownerId: userId },
      { from: formerOwner.tier, to: owner.tier },
      formerOwnerId,
    );
    await store.grants.endUnfounded({ organizationId: id }, formerOwnerId);
    const transferred = await store.organizations.findFor(id, userId);
    if (!transferred) throw new Error('the new owner is not a member');
    return { ...transferred, role: 'member' };
  });
}

/**
 * An organization has its owner's tier: it freezes when the owner leaves the enterprise tier, and is active again when the
 * owner returns. `actorId`: undefined for the operator. The owner is locked.
 */
export async function applyTierToOrganizations(
  store: Store,
  ownerId: string,
  tiers: { from: Tier; to: Tier },
  actorId: string | undefined,
): Promise<void> {
  if (tiers.from === tiers.to) return;
  for (const organization of await store.organizations.lockOwnedBy(ownerId)) {
    await applyTier(store, organization, tiers, actorId);
    await store.grants.endUnfounded({ organizationId: organization.id }, actorId);
  }
}

/** Hands over to a member of the organization that owns the Mark; a personal Mark to its owner or one of its members. */
export async function handOverMark(ports: Ports, caller: Caller, id: string, userId: string): Promise<Mark> {
  return ports.store.transaction(async (store) => {
    const { mark, organizationOwnerId } = await lockMarkInOrganization(store, id);
    requireOwnOrganization(caller, mark.organization?.id);
    requireUserForAdmins(caller);
    const mayHandOver = [mark.admin.id, mark.owner?.id, organizationOwnerId].includes(caller.user.id);
    if (!mayHandOver) throw new RegistryError('FORBIDDEN', 'Only the admin or the owner of this Mark may do this.');
    if (mark.isClosed) throw new RegistryError('FORBIDDEN', 'This Mark is closed.');
    const isMember = mark.organization
      ? (await store.organizations.findMember(mark.organization.id, userId)) !== undefined
      : [mark.owner, mark.admin, ...mark.members].some((person) => person?.id === userId);
    if (!isMember) throw new RegistryError('NOT_FOUND', 'The Mark has no such member.');
    if (userId === mark.admin.id) return mark;
    await store.marks.setAdmin(id, userId);
    await appendMarkEvent(store, 'mark.admin_changed', mark, caller.user.id, { userId });
    await store.grants.endUnfounded({ markId: id }, caller.user.id);
    return findMark(store, id);
  });
}

/** Removes a member: by the Mark's admin, by the owner of its organization, or by the member itself, who leaves. */
export async function removeMarkMember(ports: Ports, caller: Caller, id: string, userId: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    const { mark, organizationOwnerId } = await lockMarkInOrganization(store, id);
    requireOwnOrganization(caller, mark.organization?.id);
    const isLeaving = userId === caller.user.id;
    if (!isLeaving && ![mark.admin.id, organizationOwnerId].includes(caller.user.id)) {
      throw new RegistryError('FORBIDDEN', 'Only the admin of this Mark or the owner of its organization may do this.');
    }
    if (userId === mark.admin.id) {
      throw new RegistryError('BAD_REQUEST', 'The admin of the Mark hands the role over first.');
    }
    if (!(await store.marks.deleteMember(id, userId))) {
      throw new RegistryError('NOT_FOUND', 'The Mark has no such member.');
    }
    const type = isLeaving ? 'mark.member_left' : 'mark.member_removed';
    await appendMarkEvent(store, type, mark, caller.user.id, { userId });
  });
}

/** Removes the members with their rights; the caller ends what they made by these. The organization is locked. */
async function removeFromOrganization(
  store: Store,
  { id, ownerId }: Pick<LockedOrganization, 'id' | 'ownerId'>,
  userIds: readonly string[],
  cause: Pick<NewEvent, 'type' | 'actorId'>,
): Promise<void> {
  await store.organizations.deleteMembers(id, userIds);
  const passedMarkIds = await store.marks.revokeInOrganization(id, { userIds, adminId: ownerId });
  const { actorId } = cause;
  await store.events.append(
    ...userIds.map((userId) => ({ ...cause, organizationId: id, userId })),
    ...passedMarkIds.map(
      (markId) =>
        ({
          type: 'mark.admin_changed',
          actorId,
          organizationId: id,
          markId,
          userId: ownerId,
          isUnlimited: true,
        }) as const,
    ),
  );
}

async function applyTier(
  store: Store,
  organization: LockedOrganization,
  { from, to }: { from: Tier; to: Tier },
  actorId: string | undefined,
): Promise<void> {
  if (from === to) return;
  const { id: organizationId, status } = organization;
  await store.events.append({ type: 'organization.tier_changed', actorId, organizationId, data: { from, to } });
  if (from === 'enterprise') await freeze(store, organization, actorId);
  if (to === 'enterprise' && status === 'frozen') {
    await store.organizations.unfreeze(organizationId);
    await store.events.append({ type: 'organization.unfrozen', actorId, organizationId });
  }
}

async function freeze(store: Store, organization: LockedOrganization, actorId: string | undefined): Promise<void> {
  const { id: organizationId } = organization;
  await store.events.append({ type: 'organization.frozen', actorId, organizationId });
  await removeOtherMembers(store, organization, actorId);
  await store.organizations.freeze(organizationId);
}

async function removeOtherMembers(
  store: Store,
  organization: LockedOrganization,
  actorId: string | undefined,
): Promise<void> {
  const members = await store.organizations.listMembers(organization.id);
  const userIds = members.map(({ id }) => id).filter((id) => id !== organization.ownerId);
  await removeFromOrganization(store, organization, userIds, { type: 'member.removed', actorId });
}

/** Locks the users in the order of their ids, to prevent deadlocks. */
async function lockUsers(store: Store, first: string, second: string) {
  const isOrdered = first < second;
  const one = await store.users.lock(isOrdered ? first : second, 'all');
  const other = await store.users.lock(isOrdered ? second : first, 'all');
  return isOrdered ? ([one, other] as const) : ([other, one] as const);
}
