// Accounts: the current user, its tier, and closing the account.

import Type, { type Static } from 'typebox';
import { PublicName } from '../../text/text.js';
import { Tier } from '../../tiers.js';
import { exampleAuthor, exampleTime, Nullable, noContent, ok, operations, route } from '../declarations.js';
import { Timestamp, Uuid } from '../operation.js';
import { exampleOrganization, Organization } from '../organizations/organizations.js';

export const User = Type.Object(
  {
    id: Uuid('The user.'),
    email: Nullable<string>('string', 'Null for a user of an OpenID provider that supplies no verified address.'),
    name: Type.String(),
    tier: Tier,
    emailVerified: Type.Boolean({ description: 'Whether the address is proven to belong to the user.' }),
    hasTotp: Type.Boolean({ description: 'Whether logging in needs a second factor.' }),
  },
  { title: 'User', description: 'A user, as shown to that user only.' },
);
export type User = Static<typeof User>;

export const NewSession = Type.Object(
  {
    user: User,
    token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`.' }),
    expiresAt: Timestamp('When the token expires: seven days after it was issued.'),
  },
  { title: 'NewSession' },
);
export type NewSession = Static<typeof NewSession>;

/** The password of an existing account: bounded, but not checked otherwise. */
export const CurrentPassword = Type.String({ maxLength: 1000, description: 'The current password.' });

export const notForKeys = 'The caller is an API key.';
export const noMail = 'This service sends no mail.';

const AccountExport = Type.Object(
  {
    exportedAt: Timestamp('When the data were read.'),
    onClosing: Type.Object({
      erased: Type.Array(Type.String(), { description: 'What closing the account erases.' }),
      kept: Type.Array(Type.String(), { description: 'What stays, and why.' }),
    }),
    user: User,
    secondFactor: Type.Unknown({ description: 'Null if there is none.' }),
    usage: Type.Unknown({ description: 'What counts against the limits of the tier.' }),
    sessions: Type.Array(Type.Unknown()),
    oneTimeLinks: Type.Array(Type.Unknown(), { description: 'Links in mails that were not used.' }),
    mails: Type.Array(Type.Unknown()),
    organizations: Type.Array(Type.Unknown()),
    marks: Type.Array(Type.Unknown()),
    domains: Type.Array(Type.Unknown(), { description: 'Domains that the caller claimed for a Mark, or removed.' }),
    apiKeys: Type.Array(Type.Unknown()),
    webhooks: Type.Array(Type.Unknown()),
    invitations: Type.Array(Type.Unknown(), { description: 'Open ones, made by the caller or for its address.' }),
    idempotencyKeys: Type.Array(Type.Unknown()),
    events: Type.Array(Type.Unknown()),
    artifacts: Type.Array(Type.Unknown(), { description: 'Artifacts, and signed copies with `signedCopyOf`.' }),
  },
  { title: 'AccountExport' },
);
export type AccountExport = Static<typeof AccountExport>;

const UserResponse = Type.Object({ user: User });

export const exampleUser: User = {
  ...exampleAuthor,
  email: 'ada@example.com',
  tier: 'free',
  emailVerified: true,
  hasTotp: false,
};
const exampleEnterpriseUser: User = { ...exampleUser, tier: 'enterprise' };

export const currentUserOperations = operations('Accounts', {
  getMe: {
    ...route('GET', '/api/v1/me', 'bearer'),
    summary: 'Get the current user',
    description: 'The caller and the organizations the caller belongs to.',
    success: ok('The caller.', Type.Object({ user: User, organizations: Type.Array(Organization) }), {
      user: exampleUser,
      organizations: [exampleOrganization],
    }),
    errors: {},
  },
  updateMe: {
    ...route('PATCH', '/api/v1/me', 'bearer'),
    summary: 'Change your name',
    description: 'Files that are already registered keep the name that was signed with them.',
    body: Type.Object({ name: PublicName('Your name as shown to others.') }),
    exampleBody: { name: 'Ada King' },
    success: ok('The name is changed.', UserResponse, { user: { ...exampleUser, name: 'Ada King' } }),
    errors: { FORBIDDEN: notForKeys },
  },
});

export const accountOperations = operations('Accounts', {
  exportAccount: {
    ...route('GET', '/api/v1/me/export', 'bearer'),
    summary: 'Export your data',
    description:
      'What the service has stored about the caller and the caller may read now, as one JSON document: account, sessions, ' +
      'organizations, Marks, API keys, webhooks, invitations, events, and all Artifacts that the caller registered. ' +
      '`onClosing` says what stays when the account is closed.',
    success: ok('The data.', AccountExport, {
      exportedAt: exampleTime,
      onClosing: {
        erased: ['Email address, name, password'],
        kept: ['Artifacts, with the name that was signed with them'],
      },
      user: exampleUser,
      secondFactor: null,
      usage: { organizations: 0, marks: 1, lifetimeArtifacts: 12, dailyArtifacts: 3, day: '2026-06-01' },
      sessions: [],
      oneTimeLinks: [],
      mails: [],
      organizations: [],
      marks: [],
      domains: [],
      apiKeys: [],
      webhooks: [],
      invitations: [],
      idempotencyKeys: [],
      events: [],
      artifacts: [],
    }),
    errors: { FORBIDDEN: notForKeys },
  },
  closeAccount: {
    ...route('DELETE', '/api/v1/me', 'bearer'),
    summary: 'Close your account',
    description:
      'Erases email address, name and password, and ends all sessions and API keys, for good. Artifacts stay, with the ' +
      "author's name that was signed and hashed with them. Personal Marks stay readable and closed: nothing can be " +
      'registered under them. The caller leaves all organizations. A user of an OpenID provider sends no password, but a ' +
      'token that is younger than ten minutes.',
    body: Type.Object({ password: Type.Optional(CurrentPassword) }),
    exampleBody: { password: 'correct horse battery' },
    success: noContent('The account is closed.'),
    errors: {
      BAD_REQUEST: 'The password is missing.',
      UNAUTHORIZED: "The password is wrong, or the provider's token is older than ten minutes.",
      FORBIDDEN: notForKeys,
      CONFLICT: 'The caller owns an organization with other members.',
    },
  },
  putSubscription: {
    ...route('PUT', '/api/v1/subscription', 'bearer'),
    summary: 'Change your tier',
    description:
      "Sets the caller's own tier, effective immediately. With `BILLING=operator` only the operator can. Leaving " +
      '`enterprise` freezes the organizations the caller owns: members are removed, usage units are reset, webhooks ' +
      'deleted, invitations withdrawn and API keys suspended. Returning to `enterprise` unfreezes them.',
    body: Type.Object({ tier: Tier }),
    exampleBody: { tier: 'enterprise' },
    success: ok('The tier is set.', UserResponse, { user: exampleEnterpriseUser }),
    errors: { FORBIDDEN: 'Only the operator can set tiers on this service, or the caller is an API key.' },
  },
});

export const userTierOperations = operations('Operator', {
  putUserTier: {
    ...route('PUT', '/api/operator/users/{userId}/tier', 'operator'),
    summary: "Set a user's tier",
    description: 'For the operator of the service. Returns 404 to everyone while `OPERATOR_TOKEN` is not set.',
    params: Type.Object({ userId: Uuid('The user.') }),
    body: Type.Object({ tier: Tier }),
    exampleBody: { tier: 'enterprise' },
    success: ok('The tier is set.', UserResponse, { user: exampleEnterpriseUser }),
    errors: { NOT_FOUND: 'No such user, or operator endpoints are disabled.' },
  },
});
