// Invitations to organizations and Marks. Users become members only by accepting one.

import Type, { type Static } from 'typebox';
import { EmailAddress, StringEnum } from '../../text/text.js';
import type { Tier } from '../../tiers.js';
import {
  created,
  exampleAuthor,
  exampleTime,
  Nullable,
  NullableReference,
  noContent,
  ok,
  operations,
  route,
} from '../declarations.js';
import { Mark, markAdminErrors } from '../marks/marks.js';
import { exampleIds, Person, Timestamp, Uuid } from '../operation.js';
import { exampleOrganization, frozen, Organization, ownerErrors } from './organizations.js';

/**
 * Addresses that an account has not invited before, and may invite in a day (UTC) on a service that sends mail; -1: unlimited.
 * So many that a team can be invited at once, and too few for a sender of unwanted mail.
 */
export const DAILY_NEW_ADDRESSES: Readonly<Record<Tier, number>> = { free: 20, creator: -1, enterprise: -1 };

const common = {
  id: Uuid('The invitation.'),
  email: Nullable<string>('string', 'The address that it was made for; null: for anyone with the link.'),
  isAdmin: Type.Boolean({ description: 'Whether the new member becomes an admin member; false for Marks.' }),
  expiresAt: Timestamp('Seven days after it was made.'),
  requiresEmail: Type.Boolean({
    description:
      'It is mailed to the address, unless a reader of it has stopped such mail, and only an account with that verified ' +
      'address can accept it.',
  }),
};

export const Invitation = Type.Object(common, { title: 'Invitation' });
export type Invitation = Static<typeof Invitation>;

const token = Type.String({ description: 'Works once. Shown only now; the service keeps its hash.' });

export const NewInvitation = Type.Object(
  {
    ...common,
    token,
    url: Type.String({ description: 'Opens the page on which it can be accepted or declined.' }),
  },
  { title: 'NewInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;

const reference = { id: Uuid('Its id.'), name: Type.String() };

const preview = {
  kind: StringEnum(['organization', 'mark'], { description: 'What it is an invitation to.' }),
  organization: NullableReference(reference, 'The organization; null for a Mark.'),
  mark: NullableReference(reference, 'The Mark; null for an organization.'),
  invitedBy: Person,
};

export const InvitationPreview = Type.Object({ ...common, ...preview }, { title: 'InvitationPreview' });
export type InvitationPreview = Static<typeof InvitationPreview>;

export const ReceivedInvitation = Type.Object({ ...common, ...preview, token }, { title: 'ReceivedInvitation' });
export type ReceivedInvitation = Static<typeof ReceivedInvitation>;

const example: Invitation = {
  id: exampleIds.INVITATION_ID,
  email: 'bea@example.com',
  isAdmin: false,
  expiresAt: exampleTime,
  requiresEmail: true,
};
const exampleToken = exampleIds.LINK_TOKEN;
const exampleNew: NewInvitation = {
  ...example,
  token: exampleToken,
  url: `https://registry.example/invitation#${exampleToken}`,
};
const examplePreview: InvitationPreview = {
  ...example,
  kind: 'organization',
  organization: { id: exampleOrganization.id, name: exampleOrganization.name },
  mark: null,
  invitedBy: exampleAuthor,
};

const OrganizationParams = Type.Object({ organizationId: Uuid('The organization.') });
const MarkParams = Type.Object({ markId: Uuid('The Mark.') });
const invitationId = Uuid('The invitation.');
const TokenBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });

const notFound = 'No such organization, or the caller does not belong to it.';
const unknownToken = 'The token is unknown, used, withdrawn or expired.';
const inviteErrors = { ...ownerErrors, NOT_FOUND: notFound };

export const organizationInvitationOperations = operations('Invitations', {
  createOrganizationInvitation: {
    ...route('POST', '/api/v1/organizations/{organizationId}/invitations', 'bearer'),
    summary: 'Invite a member',
    description:
      'Creates an invitation that is valid for seven days and takes one usage unit until it is declined, withdrawn or ' +
      'expired. With `email`, a service that sends mail mails it, if the verified address of the owner shows who is ' +
      'responsible, and only an account with that verified address can accept it. Owner only; an API key cannot invite ' +
      'admin members.',
    params: OrganizationParams,
    body: Type.Object({ email: Type.Optional(EmailAddress), isAdmin: Type.Optional(Type.Boolean()) }),
    exampleBody: { email: 'bea@example.com' },
    success: created(
      'The invitation, with its link.',
      NewInvitation,
      exampleNew,
      '/api/v1/organizations/{organizationId}/invitations/{id}',
    ),
    errors: {
      ...inviteErrors,
      FORBIDDEN:
        'The caller is not the owner, or is an API key that invites an admin member. Or the invitation would be mailed, and ' +
        "the owner's own address is not verified.",
      USAGE_UNIT_LIMIT_REACHED: 'No free usage unit.',
      TIER_LIMIT_REACHED: 'The organization has reached the number of members that its tier allows.',
      TIER_RESTRICTION: frozen,
    },
  },
  listOrganizationInvitations: {
    ...route('GET', '/api/v1/organizations/{organizationId}/invitations', 'bearer'),
    summary: 'List open invitations',
    description: 'Oldest first, without their tokens. Owner only.',
    params: OrganizationParams,
    success: ok('The invitations.', Type.Array(Invitation), [example]),
    errors: inviteErrors,
  },
  withdrawOrganizationInvitation: {
    ...route('DELETE', '/api/v1/organizations/{organizationId}/invitations/{invitationId}', 'bearer'),
    summary: 'Withdraw an invitation',
    description: 'Its link stops working, and its usage unit is free again. Owner only.',
    params: Type.Object({ organizationId: Uuid('The organization.'), invitationId }),
    success: noContent('The invitation is withdrawn.'),
    errors: { ...inviteErrors, NOT_FOUND: `${notFound} Or no such open invitation.` },
  },
});

const markNotFound = 'No such Mark.';

export const invitationOperations = operations('Invitations', {
  createMarkInvitation: {
    ...route('POST', '/api/v1/marks/{markId}/invitations', 'bearer'),
    summary: 'Invite a member to a Mark',
    description:
      'As for organizations, but without a usage unit: the new member may register files under this Mark. Admin only.',
    params: MarkParams,
    body: Type.Object({ email: Type.Optional(EmailAddress) }),
    exampleBody: { email: 'bea@example.com' },
    success: created(
      'The invitation, with its link.',
      NewInvitation,
      exampleNew,
      '/api/v1/marks/{markId}/invitations/{id}',
    ),
    errors: {
      ...markAdminErrors,
      FORBIDDEN: `${markAdminErrors.FORBIDDEN} Or the invitation would be mailed, and the admin's own address is not verified.`,
      TIER_RESTRICTION:
        'The organization of the Mark is frozen. Or the invitation would be mailed, and the account is on the tier `free` ' +
        `and has invited ${DAILY_NEW_ADDRESSES.free} new addresses today (UTC); tags such as \`+news\` make no new one.`,
      NOT_FOUND: markNotFound,
      CONFLICT: 'The Mark has 100 open invitations.',
    },
  },
  listMarkInvitations: {
    ...route('GET', '/api/v1/marks/{markId}/invitations', 'bearer'),
    summary: 'List open invitations to a Mark',
    description: 'Oldest first, without their tokens. Admin only.',
    params: MarkParams,
    success: ok('The invitations.', Type.Array(Invitation), [example]),
    errors: { ...markAdminErrors, NOT_FOUND: markNotFound },
  },
  withdrawMarkInvitation: {
    ...route('DELETE', '/api/v1/marks/{markId}/invitations/{invitationId}', 'bearer'),
    summary: 'Withdraw an invitation to a Mark',
    description: 'Its link stops working. Admin only.',
    params: Type.Object({ markId: Uuid('The Mark.'), invitationId }),
    success: noContent('The invitation is withdrawn.'),
    errors: { ...markAdminErrors, NOT_FOUND: `${markNotFound} Or no such open invitation.` },
  },
  listReceivedInvitations: {
    ...route('GET', '/api/v1/me/invitations', 'bearer'),
    summary: 'List invitations to you',
    description: "Open invitations that name the caller's verified address, oldest first.",
    success: ok('The invitations.', Type.Array(ReceivedInvitation), [{ ...examplePreview, token: exampleToken }]),
    errors: { FORBIDDEN: 'The caller is an API key.' },
  },
  previewInvitation: {
    ...route('POST', '/api/v1/invitations/preview', 'none'),
    summary: 'Look at an invitation',
    description: 'What the token is an invitation to, and by whom. Needs no account.',
    body: TokenBody,
    exampleBody: { token: exampleToken },
    success: ok('The invitation.', InvitationPreview, examplePreview),
    errors: { NOT_FOUND: unknownToken },
  },
  acceptInvitation: {
    ...route('POST', '/api/v1/invitations/accept', 'bearer'),
    summary: 'Accept an invitation',
    description: 'Makes the caller a member of the organization or of the Mark.',
    body: TokenBody,
    exampleBody: { token: exampleToken },
    success: ok(
      'The caller is a member.',
      Type.Object({ organization: Type.Optional(Organization), mark: Type.Optional(Mark) }),
      { organization: { ...exampleOrganization, role: 'member' } },
    ),
    errors: {
      FORBIDDEN: 'The caller is an API key, or the invitation is for another verified email address.',
      TIER_LIMIT_REACHED: 'The organization has reached the number of members that its tier allows.',
      NOT_FOUND: unknownToken,
      CONFLICT: 'The caller is a member already.',
    },
  },
  declineInvitation: {
    ...route('POST', '/api/v1/invitations/decline', 'bearer'),
    summary: 'Decline an invitation',
    description: 'Its link stops working.',
    body: TokenBody,
    exampleBody: { token: exampleToken },
    success: noContent('The invitation is declined.'),
    errors: {
      FORBIDDEN: 'The caller is an API key, or the invitation is for another verified email address.',
      NOT_FOUND: unknownToken,
    },
  },
});
