// Invitations, under `orgs` and under `marks`: `invite`, `invitations`, `accept` and `decline`.

import type { RegistryClient } from '@provenance-registry/client';
import type { Invitation, InvitationPreview, NewInvitation } from '@provenance-registry/core';
import { type CommandGroup, defineCommand } from '../command.js';
import { connect, connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError } from '../errors.js';
import { linkArgument, linkWarning, readLinkToken } from '../linkToken.js';
import { formatFields, formatList, type Text, text } from '../text.js';

interface Kind {
  readonly group: 'orgs' | 'marks';
  /** Words as in `an invitation to the organization`. */
  readonly noun: string;
  readonly argument: { readonly label: string; readonly summary: string };
  /** The shell variable of its id in examples. */
  readonly variable: string;
  list(client: RegistryClient, id: string): Promise<Invitation[]>;
  withdraw(client: RegistryClient, id: string, invitationId: string): Promise<void>;
}

const organizations: Kind = {
  group: 'orgs',
  noun: 'organization',
  argument: { label: 'ORGANIZATION', summary: 'organization ID' },
  variable: '$ORGANIZATION_ID',
  list: (client, organizationId) => client.listOrganizationInvitations({ organizationId }),
  withdraw: (client, organizationId, invitationId) =>
    client.withdrawOrganizationInvitation({ organizationId, invitationId }),
};
const marks: Kind = {
  group: 'marks',
  noun: 'Mark',
  argument: { label: 'MARK', summary: 'Mark ID' },
  variable: '$MARK_ID',
  list: (client, markId) => client.listMarkInvitations({ markId }),
  withdraw: (client, markId, invitationId) => client.withdrawMarkInvitation({ markId, invitationId }),
};

const emailOption = {
  label: 'ADDRESS',
  summary: 'mail it there; where the service sends mail, only this address can accept it',
} as const;
const inviteDescription =
  'Creates an invitation that is valid for seven days, and prints its link, which cannot be shown again. Users ' +
  'become members only by accepting one. Without --email, anyone with the link can accept it, once.';

export const inviteToOrganizationCommand = defineCommand({
  name: 'invite',
  summary: 'invite a member',
  description: `${inviteDescription} It takes a usage unit until it is declined, withdrawn or expired. Owner only.`,
  arguments: { organizationId: organizations.argument },
  options: {
    email: emailOption,
    admin: { kind: 'flag', summary: 'the new member can create Marks for the organization' },
  },
  examples: {
    'provenance orgs invite "$ORGANIZATION_ID" --email bea@example.com': 'Invite Bea',
    'provenance orgs invite "$ORGANIZATION_ID" --admin > link.txt': 'Save a link that makes its recipient an admin',
  },
  async run(context, { organizationId, email, admin: isAdmin }) {
    const client = await connectLoggedIn(context);
    printNewInvitation(context, await client.createOrganizationInvitation({ organizationId, email, isAdmin }));
  },
});

export const inviteToMarkCommand = defineCommand({
  name: 'invite',
  summary: 'invite a member to a Mark',
  description: `${inviteDescription} Members can register files under the Mark. Mark admins only.`,
  arguments: { markId: marks.argument },
  options: { email: emailOption },
  examples: { 'provenance marks invite "$MARK_ID" --email bea@example.com': 'Invite Bea to register under the Mark' },
  async run(context, { markId, email }) {
    const client = await connectLoggedIn(context);
    printNewInvitation(context, await client.createMarkInvitation({ markId, email }));
  },
});

function printNewInvitation(context: Context, invitation: NewInvitation): void {
  const { id, email, requiresEmail, expiresAt, url } = invitation;
  const recipient = requiresEmail ? `Mailed invitation ${id} to ${email}` : `Created invitation ${id}`;
  const restriction = requiresEmail ? 'only that address can accept it' : 'anyone with the link can accept it';
  context.printHint(text`${recipient}. Until ${expiresAt}, ${restriction}:`);
  context.printResult(invitation, text`${url}`);
}

const invitationArgument = {
  label: 'INVITATION',
  summary: `${linkArgument.summary}; or the ID of one that 'account invitations' lists`,
} as const;

export const organizationInvitationsGroup = createInvitationsGroup(organizations);
export const markInvitationsGroup = createInvitationsGroup(marks);

function createInvitationsGroup(kind: Kind): CommandGroup {
  const { group, noun, argument, variable } = kind;
  const listCommand = defineCommand({
    name: 'list',
    summary: 'list open invitations',
    description: `Lists the invitations to the ${noun} that are neither accepted nor declined, oldest first, without their links.`,
    arguments: { id: argument },
    examples: { [`provenance ${group} invitations list "${variable}"`]: 'Open invitations' },
    async run(context, { id }) {
      const invitations = await kind.list(await connectLoggedIn(context), id);
      const rows = invitations.map((item) => [item.id, item.email ?? '', displayRole(item), item.expiresAt]);
      context.printResult(invitations, formatList(['ID', 'EMAIL', 'ROLE', 'EXPIRES'], rows));
    },
  });
  const withdrawCommand = defineCommand({
    name: 'withdraw',
    summary: 'withdraw an invitation',
    description: `Withdraws an open invitation to the ${noun}: its link stops working.`,
    arguments: { id: argument, invitationId: { label: 'INVITATION', summary: 'invitation ID' } },
    examples: {
      [`provenance ${group} invitations withdraw "${variable}" "$INVITATION_ID"`]: 'Withdraw an invitation',
    },
    async run(context, { id, invitationId }) {
      await kind.withdraw(await connectLoggedIn(context), id, invitationId);
      context.printResult({ invitationId }, text`Invitation withdrawn.`);
    },
  });
  return {
    name: 'invitations',
    summary: `manage invitations to ${noun === 'Mark' ? 'a Mark' : 'an organization'}`,
    description: `Manages open invitations to ${noun === 'Mark' ? 'a Mark' : 'an organization'}.`,
    commands: [listCommand, createShowCommand(group), withdrawCommand],
  };
}

function createShowCommand(group: Kind['group']) {
  return defineCommand({
    name: 'show',
    summary: 'show what an invitation is for',
    description: `Shows who invites you to what, without accepting it. A link needs no login. ${linkWarning}`,
    arguments: { invitation: invitationArgument },
    examples: { [`provenance ${group} invitations show - < invitation.txt`]: 'Show an invitation' },
    async run(context, { invitation }) {
      const client = await connect(context);
      const preview = await client.previewInvitation({ token: await readToken(context, client, invitation) });
      context.printResult(preview, formatPreview(preview));
    },
  });
}

export function createAcceptCommand(group: Kind['group']) {
  return defineCommand({
    name: 'accept',
    summary: 'accept an invitation',
    description: `Makes you a member of the organization or Mark that the invitation is for. ${linkWarning}`,
    arguments: { invitation: invitationArgument },
    examples: { [`provenance ${group} accept - < invitation.txt`]: 'Accept the invitation whose link is in a file' },
    async run(context, { invitation }) {
      const client = await connectLoggedIn(context);
      const accepted = await client.acceptInvitation({ token: await readToken(context, client, invitation) });
      const { organization, mark } = accepted;
      const what = organization ? text`the organization ${organization.name}` : text`the Mark ${mark?.name ?? ''}`;
      context.printResult(accepted, text`You are now a member of ${what} (${organization?.id ?? mark?.id ?? ''}).`);
    },
  });
}

export function createDeclineCommand(group: Kind['group']) {
  return defineCommand({
    name: 'decline',
    summary: 'decline an invitation',
    description: `Declines an invitation to an organization or a Mark: its link stops working. ${linkWarning}`,
    arguments: { invitation: invitationArgument },
    examples: { [`provenance ${group} decline "$INVITATION_LINK"`]: 'Decline an invitation' },
    async run(context, { invitation }) {
      const client = await connectLoggedIn(context);
      await client.declineInvitation({ token: await readToken(context, client, invitation) });
      context.printResult({ status: 'declined' }, text`Invitation declined.`);
    },
  });
}

export const receivedCommand = defineCommand({
  name: 'invitations',
  summary: 'list invitations to you',
  description:
    "Lists open invitations to your verified email address. Answer them by their ID with 'orgs accept' and 'orgs " +
    "decline'; JSON also has their tokens.",
  examples: { 'provenance account invitations': 'Invitations to your address' },
  async run(context) {
    const received = await (await connectLoggedIn(context)).listReceivedInvitations();
    const rows = received.map((item) => [item.id, displayTarget(item), item.invitedBy.name, item.expiresAt]);
    context.printResult(received, formatList(['ID', 'TO', 'INVITED BY', 'EXPIRES'], rows));
  },
});

/** Reads the token of the invitation that a link, a token or an ID names. */
async function readToken(context: Context, client: RegistryClient, given: string): Promise<string> {
  if (!isUuid(given)) return readLinkToken(context, given);
  const received = client.hasCredential ? await client.listReceivedInvitations() : [];
  const found = received.find(({ id }) => id === given.toLowerCase());
  if (found) return found.token;
  throw new CommandError('NOT_FOUND', 1, `There is no open invitation ${given} to your verified email address.`);
}

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
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

function displayTarget({ organization, mark }: InvitationPreview): Text {
  return organization ? text`organization ${organization.name}` : text`Mark ${mark?.name ?? ''}`;
}

function displayRole({ isAdmin }: Pick<Invitation, 'isAdmin'>): string {
  return isAdmin ? 'admin' : 'member';
}
