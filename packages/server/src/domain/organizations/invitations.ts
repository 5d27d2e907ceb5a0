// Invitations: how users become members of organizations and Marks. Only accepting one makes a user a member.

import { randomUUID } from 'node:crypto';
import {
  type Invitation,
  type InvitationPreview,
  type Mark,
  type NewInvitation,
  normalizeEmail,
  type Organization,
  type ReceivedInvitation,
  RegistryError,
  type User,
} from '@provenance-registry/core';
import { requireMailBudget, requireVerifiedSender } from '../accounts/mailToStrangers.js';
import {
  type Caller,
  lockCaller,
  lockCallingKey,
  requireMembership,
  requireUserForAdmins,
  requireUserSession,
} from '../caller.js';
import { findMark, lockMarkAsAdmin, lockMarkOwner, mayWrite, requireMarkAdmin } from '../marks/marks.js';
import type { InvitationTarget, OpenInvitation, Ports, Store } from '../ports/index.js';
import { requireActive, requireMemberQuota } from '../tiers.js';
import {
  countUsedUnits,
  lockOrganization,
  lockOwnOrganization,
  requireNotFrozen,
  requireOwner,
} from './organizations.js';

/** Part of the interface. */
const INVITATION_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/** Invitations to Marks take no usage units, but each may be a mail to a stranger. */
const MAX_OPEN_MARK_INVITATIONS = 100;

export async function inviteToOrganization(
  ports: Ports,
  caller: Caller,
  organizationId: string,
  request: { email?: string; isAdmin?: boolean },
): Promise<NewInvitation> {
  return ports.store.transaction(async (store) => {
    // Its tier is the organization's, unless the next line throws.
    const owner = await lockCaller(store, caller);
    const organization = await lockOwnOrganization(store, caller, organizationId);
    if (request.isAdmin) requireUserForAdmins(caller);
    requireNotFrozen(organization);
    const used = await countUsedUnits(store, organization);
    if (used > organization.purchasedUnits) {
      throw new RegistryError('USAGE_UNIT_LIMIT_REACHED', 'All usage units are in use. Purchase another one first.');
    }
    // The owner uses a unit, but is not one of the members that the tier counts.
    requireMemberQuota(ports, owner, used - 1);
    return insertInvitation(ports, store, { caller, user: owner }, { organizationId }, request);
  });
}

export async function listOrganizationInvitations(ports: Ports, caller: Caller, id: string): Promise<Invitation[]> {
  await requireOwner(ports.store, caller, id);
  return (await ports.store.invitations.listOf({ organizationId: id })).map(toInvitation);
}

export async function withdrawOrganizationInvitation(
  ports: Ports,
  caller: Caller,
  organizationId: string,
  id: string,
): Promise<void> {
  await ports.store.transaction(async (store) => {
    await lockOwnOrganization(store, caller, organizationId);
    await withdrawInvitation(store, caller, { organizationId }, id);
  });
}

export async function inviteToMark(
  ports: Ports,
  caller: Caller,
  markId: string,
  request: { email?: string },
): Promise<NewInvitation> {
  return ports.store.transaction(async (store) => {
    const user = await lockCaller(store, caller);
    // A freeze, and closing the owner's account, withdraw invitations; both lock the owner.
    await lockMarkOwner(store, await requireMarkAdmin(store, caller, markId));
    const { organization } = await lockMarkAsAdmin(store, caller, markId);
    if (organization) await requireActive(store, organization.id);
    if ((await store.invitations.countOf({ markId })) >= MAX_OPEN_MARK_INVITATIONS) {
      throw new RegistryError('CONFLICT', `A Mark can have up to ${MAX_OPEN_MARK_INVITATIONS} open invitations.`);
    }
    return insertInvitation(ports, store, { caller, user }, { markId }, { ...request, isAdmin: false });
  });
}

export async function listMarkInvitations(ports: Ports, caller: Caller, markId: string): Promise<Invitation[]> {
  await requireMarkAdmin(ports.store, caller, markId);
  return (await ports.store.invitations.listOf({ markId })).map(toInvitation);
}

export async function withdrawMarkInvitation(ports: Ports, caller: Caller, markId: string, id: string): Promise<void> {
  await ports.store.transaction(async (store) => {
    await lockMarkAsAdmin(store, caller, markId);
    await withdrawInvitation(store, caller, { markId }, id);
  });
}

/** Those that name the caller's verified address, with their tokens. */
export async function listReceivedInvitations(ports: Ports, caller: Caller): Promise<ReceivedInvitation[]> {
  requireUserSession(caller);
  const { email, emailVerified } = caller.user;
  if (email === null || !emailVerified) return [];
  const invitations = await ports.store.invitations.listFor(email);
  return invitations.map((invitation) => ({ ...toPreview(invitation), token: tokenOf(ports, invitation.id) }));
}

export async function previewInvitation(ports: Ports, token: string): Promise<InvitationPreview> {
  return toPreview(await findInvitation(ports, ports.store, token));
}

export async function acceptInvitation(
  ports: Ports,
  caller: Caller,
  token: string,
): Promise<{ organization?: Organization; mark?: Mark }> {
  requireUserSession(caller);
  return ports.store.transaction(async (store) => {
    const invitation = await findInvitation(ports, store, token);
    requireRecipient(invitation, await lockCaller(store, caller));
    const { organization, mark } = invitation;
    if (organization) await joinOrganization(ports, store, caller, invitation, organization.id);
    if (mark) await joinMark(store, caller, invitation, mark.id);
    await appendEvent(store, 'invitation.accepted', invitation, caller);
    return {
      ...(organization && { organization: await requireMembership(store, caller, organization.id) }),
      ...(mark && { mark: await findMark(store, mark.id) }),
    };
  });
}

export async function declineInvitation(ports: Ports, caller: Caller, token: string): Promise<void> {
  requireUserSession(caller);
  await ports.store.transaction(async (store) => {
    const invitation = await findInvitation(ports, store, token);
    requireRecipient(invitation, await lockCaller(store, caller));
    await deleteInvitation(store, invitation);
    // Without the caller: the inviter must not learn which account an address belongs to.
    await appendEvent(store, 'invitation.declined', invitation);
  });
}

/** The invitation's usage unit becomes the member's. */
async function joinOrganization(
  ports: Ports,
  store: Store,
  { user }: Caller,
  invitation: OpenInvitation,
  id: string,
): Promise<void> {
  const { ownerId, memberCount } = await lockOrganization(store, id);
  await deleteInvitation(store, invitation);
  if (await store.organizations.findMember(id, user.id)) {
    throw new RegistryError('CONFLICT', 'You are a member of this organization already.');
  }
  // The owner may be on a lower tier than when the invitation was made.
  const owner = await store.users.findById(ownerId);
  if (owner) requireMemberQuota(ports, owner, memberCount - 1);
  await store.organizations.insertMember(id, user.id, invitation.isAdmin);
}

async function joinMark(store: Store, caller: Caller, invitation: OpenInvitation, id: string): Promise<void> {
  const mark = await store.marks.lock(id);
  await deleteInvitation(store, invitation);
  if (mark && (await mayWrite(store, caller, mark))) {
    throw new RegistryError('CONFLICT', 'You can register files under this Mark already.');
  }
  await store.marks.insertMember(id, caller.user.id);
}

async function insertInvitation(
  ports: Ports,
  store: Store,
  { caller, user }: { readonly caller: Caller; readonly user: User },
  target: InvitationTarget,
  request: { email?: string; isAdmin?: boolean },
): Promise<NewInvitation> {
  await lockCallingKey(store, caller);
  const id = randomUUID();
  const token = tokenOf(ports, id);
  const email = request.email === undefined ? null : normalizeEmail(request.email);
  if (email !== null) {
    requireVerifiedSender(ports, user);
    await requireMailBudget(ports, store, user, 'invitation', email);
  }
  await store.invitations.insert({
    id,
    target,
    tokenHash: ports.linkTokens.hash(token),
    email,
    requiresEmail: email !== null && ports.mail.isEnabled,
    isAdmin: request.isAdmin ?? false,
    invitedBy: user.id,
    keyId: caller.keyId,
    expiresAt: new Date(ports.clock().getTime() + INVITATION_TTL_MS),
  });
  const invitation = await findInvitation(ports, store, token);
  await appendEvent(store, 'invitation.created', invitation, caller);
  if (email !== null)
    await ports.mail.enqueue(store, { recipient: email, template: 'invitation', data: { invitationId: id } });
  return { ...toInvitation(invitation), token, url: `${ports.baseUrl}/invitation#${token}` };
}

async function withdrawInvitation(store: Store, caller: Caller, target: InvitationTarget, id: string): Promise<void> {
  if (!(await store.invitations.withdraw(id, target, caller.user.id))) throw invitationNotFoundError();
}

async function deleteInvitation(store: Store, { id }: OpenInvitation): Promise<void> {
  if (!(await store.invitations.delete(id))) throw invitationNotFoundError();
}

async function findInvitation(ports: Ports, store: Store, token: string): Promise<OpenInvitation> {
  const invitation = await store.invitations.find(ports.linkTokens.hash(token));
  if (!invitation) throw invitationNotFoundError();
  return invitation;
}

function invitationNotFoundError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'This invitation was used, withdrawn or declined, or it has expired.');
}

function requireRecipient(invitation: OpenInvitation, { email, emailVerified }: User): void {
  if (!invitation.requiresEmail || (invitation.email === email && emailVerified)) return;
  throw new RegistryError(
    'FORBIDDEN',
    invitation.email === email
      ? 'Verify your email address first: this invitation was sent to it.'
      : 'This invitation is for another email address.',
  );
}

function appendEvent(
  store: Store,
  type: 'invitation.created' | 'invitation.accepted' | 'invitation.declined',
  { id, isAdmin, mark, eventOrganizationId }: OpenInvitation,
  actor?: Caller,
): Promise<void> {
  return store.events.append({
    type,
    actorId: actor?.user.id,
    organizationId: eventOrganizationId ?? undefined,
    markId: mark?.id,
    userId: type === 'invitation.accepted' ? actor?.user.id : undefined,
    data: mark ? { invitationId: id } : { invitationId: id, isAdmin },
  });
}

function tokenOf(ports: Ports, id: string): string {
  return ports.linkTokens.tokenOf('invitation', id);
}

function toInvitation({ id, email, isAdmin, expiresAt, requiresEmail }: OpenInvitation): Invitation {
  return { id, email, isAdmin, expiresAt: expiresAt.toISOString(), requiresEmail };
}

function toPreview(invitation: OpenInvitation): InvitationPreview {
  const { organization, mark, invitedBy } = invitation;
  return { ...toInvitation(invitation), kind: mark ? 'mark' : 'organization', organization, mark, invitedBy };
}
