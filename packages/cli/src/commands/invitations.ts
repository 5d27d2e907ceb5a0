// `invitation`: invitations to organizations and Marks, made and received.

import type { RegistryClient } from '@provenance-registry/client';
import type { Invitation, InvitationPreview, NewInvitation, ReceivedInvitation } from '@provenance-registry/core';
import { defineApiCommand } from '../apiCommand.js';
import { type CommandGroup, defineCommand } from '../command.js';
import { connect, connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { linkArgument, linkWarning, readLinkToken } from '../linkToken.js';
import { findId, findInvitationTarget, type InvitationTarget } from '../names.js';
import { formatFields, formatList, type Text, text } from '../text.js';

const targetArgument = { label: 'TARGET', summary: 'name or ID of an organization or Mark' } as const;

const createCommand = defineApiCommand({
  name: 'create',
  summary: 'invite a user to an organization or Mark',
  description:
    'Creates an invitation that is valid for seven days, and prints its link, which cannot be shown again. Users become ' +
    'members only by accepting one. Without --email, anyone with the link can accept it, once. An invitation to an ' +
    'organization takes a usage unit until it is declined, withdrawn or expired, and is for its owner to make; members of a ' +
    'Mark can register files under it, and its admins invite them.',
  arguments: { target: targetArgument },
  options: {
    email: {
      label: 'ADDRESS',
      summary: 'mail it there; where the service sends mail, only this address can accept it',
    },
    admin: {
      kind: 'flag',
      summary: 'the new member can create Marks for the organization; with a login, not an API key',
    },
  },
  examples: {
    'provenance invitation create "$ORGANIZATION_ID" --email bea@example.com': 'Invite Bea to an organization',
    'provenance invitation create "$ORGANIZATION_ID" --admin > link.txt':
      'Save a link that makes its recipient an admin',
    'provenance invitation create "$MARK_ID" --email bea@example.com': 'Invite Bea to register under a Mark',
  },
  async request(client, { target: given, email, admin: isAdmin }): Promise<NewInvitation> {
    const { kind, id } = await findInvitationTarget(client, given);
    if (kind === 'organization') return client.createOrganizationInvitation({ organizationId: id, email, isAdmin });
    if (isAdmin) throw new UsageError('--admin is for organizations: a Mark has one admin.');
    return client.createMarkInvitation({ markId: id, email });
  },
  hint({ id, email, requiresEmail, expiresAt }) {
    return requiresEmail
      ? text`Created invitation ${id}. It is mailed to ${email ?? ''}, unless a reader of that address has stopped such mail. Only that address can accept it, until ${expiresAt}.\n\nIts link, if the mail does not arrive:`
      : text`Created invitation ${id}. Nothing was mailed; anyone with the link can accept it, once, until ${expiresAt}.\n\nSend this link to the new member:`;
  },
  format: ({ url }) => text`${url}`,
});

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list open invitations to you, or to an organization or Mark',
  description:
    'Lists the open invitations to your verified email address; with TARGET, those to an organization or Mark that are ' +
    'neither accepted nor declined, oldest first, without their links. JSON has the tokens of invitations to you.',
  arguments: { target: { ...targetArgument, optional: true } },
  examples: {
    'provenance invitation list': 'Invitations to your address',
    'provenance invitation list "$ORGANIZATION_ID"': 'Open invitations to an organization',
  },
  async request(client, { target }): Promise<ReceivedInvitation[] | Invitation[]> {
    if (target === undefined) return client.listReceivedInvitations();
    return listOpen(client, await findInvitationTarget(client, target));
  },
  format: (invitations) =>
    formatList(
      ['ID', 'EMAIL', 'ROLE', 'EXPIRES', 'INVITED TO'],
      invitations.map((item) => [
        item.id,
        item.email ?? '',
        displayRole(item),
        item.expiresAt,
        'kind' in item ? text`${displayTarget(item)} by ${item.invitedBy.name}` : '',
      ]),
    ),
});

function listOpen(client: RegistryClient, { kind, id }: InvitationTarget): Promise<Invitation[]> {
  return kind === 'organization'
    ? client.listOrganizationInvitations({ organizationId: id })
    : client.listMarkInvitations({ markId: id });
}

const withdrawCommand = defineApiCommand({
  name: 'withdraw',
  summary: 'withdraw an invitation',
  description: 'Withdraws an open invitation to an organization or Mark: its link stops working.',
  arguments: {
    target: targetArgument,
    invitation: { label: 'INVITATION', summary: 'ID of the invitation, or the address that it is for' },
  },
  examples: { 'provenance invitation withdraw "$ORGANIZATION_ID" "$INVITATION_ID"': 'Withdraw an invitation' },
  async request(client, { target: given, invitation }) {
    const target = await findInvitationTarget(client, given);
    const invitationId = await findId(invitation, 'invitations', async () =>
      (await listOpen(client, target)).map(({ id, email }) => ({ id, name: email ?? '' })),
    );
    if (target.kind === 'organization')
      await client.withdrawOrganizationInvitation({ organizationId: target.id, invitationId });
    else await client.withdrawMarkInvitation({ markId: target.id, invitationId });
    return { invitationId };
  },
  format: () => text`Invitation withdrawn.`,
});

const invitationArgument = {
  label: 'INVITATION',
  summary: `${linkArgument.summary}; or the ID of one that 'invitation list' lists`,
} as const;

const showCommand = defineCommand({
  name: 'show',
  summary: 'show what an invitation is for',
  description: `Shows who invites you to what, without accepting it. A link needs no login. ${linkWarning}`,
  arguments: { invitation: invitationArgument },
  examples: { 'provenance invitation show - < invitation.txt': 'Show an invitation' },
  async run(context, { invitation }) {
    const client = await connect(context);
    const preview = await client.previewInvitation({ token: await readToken(context, client, invitation) });
    context.printResult(preview, formatPreview(preview));
  },
});

const acceptCommand = defineCommand({
  name: 'accept',
  summary: 'accept an invitation',
  description: `Makes you a member of the organization or Mark that the invitation is for. ${linkWarning}`,
  arguments: { invitation: invitationArgument },
  examples: { 'provenance invitation accept - < invitation.txt': 'Accept the invitation whose link is in a file' },
  async run(context, { invitation }) {
    const client = await connectLoggedIn(context);
    const accepted = await client.acceptInvitation({ token: await readToken(context, client, invitation) });
    const { organization, mark } = accepted;
    const what = organization ? text`the organization ${organization.name}` : text`the Mark ${mark?.name ?? ''}`;
    context.printResult(accepted, text`You are now a member of ${what} (${organization?.id ?? mark?.id ?? ''}).`);
  },
});

const declineCommand = defineCommand({
  name: 'decline',
  summary: 'decline an invitation',
  description: `Declines an invitation to an organization or a Mark: its link stops working. ${linkWarning}`,
  arguments: { invitation: invitationArgument },
  examples: { 'provenance invitation decline "$INVITATION_LINK"': 'Decline an invitation' },
  async run(context, { invitation }) {
    const client = await connectLoggedIn(context);
    await client.declineInvitation({ token: await readToken(context, client, invitation) });
    context.printResult({ status: 'declined' }, text`Invitation declined.`);
  },
});

export const invitationGroup: CommandGroup = {
  name: 'invitation',
  summary: 'invite users, and answer invitations',
  description: 'Manages invitations to organizations and Marks: those that you make, and those to you.',
  commands: [createCommand, listCommand, showCommand, acceptCommand, declineCommand, withdrawCommand],
};

/** Reads the token of the invitation that a link, a token or an ID names. */
async function readToken(context: Context, client: RegistryClient, given: string): Promise<string> {
  const { isUuid } = await import('@provenance-registry/core');
  if (!isUuid(given)) return readLinkToken(context, given);
  const received = client.hasCredential ? await client.listReceivedInvitations() : [];
  const found = received.find(({ id }) => id === given.toLowerCase());
  if (found) return found.token;
  throw new CommandError(
    'NOT_FOUND',
    1,
    `There is no open invitation ${given} to your verified email address. Use the link that you received instead.`,
  );
}

function formatPreview(preview: InvitationPreview): Text {
  return formatFields([
    ['To', displayTarget(preview)],
    ['Role', preview.kind === 'organization' ? displayRole(preview) : null],
    ['Invited by', preview.invitedBy.name],
    ['For', preview.email],
    ['Expires', preview.expiresAt],
  ]);
}

function displayTarget({ organization, mark }: Pick<InvitationPreview, 'organization' | 'mark'>): Text {
  return organization ? text`organization ${organization.name}` : text`Mark ${mark?.name ?? ''}`;
}

function displayRole({ isAdmin }: Pick<Invitation, 'isAdmin'>): string {
  return isAdmin ? 'admin' : 'member';
}
