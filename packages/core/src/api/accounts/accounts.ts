// Accounts: sign-up, log-in, the current user, its tier, and closing the account.

import Type, { type Static } from 'typebox';
import { EmailAddress, Password, PublicName } from '../../text.js';
import { Tier } from '../../tiers.js';
import { created, exampleAuthor, exampleTime, Nullable, noContent, ok, route } from '../declarations.js';
import { type Operation, Timestamp, Uuid } from '../operation.js';
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

/** Of existing accounts: bounded, but not checked otherwise. */
export const CurrentPassword = Type.String({ maxLength: 1000, description: 'The current password.' });

export const notForKeys = 'The caller is an API key.';

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

const ada: User = {
  ...exampleAuthor,
  email: 'ada@example.com',
  tier: 'free',
  emailVerified: true,
  hasTotp: false,
};
const adaOnEnterprise: User = { ...ada, tier: 'enterprise' };
const session: NewSession = { user: ada, token: 'header.claims.signature', expiresAt: '2026-06-08T12:00:00.000Z' };

export const signUp = {
  ...route('signUp', 'POST', '/api/v1/auth/signup', 'none'),
  tag: 'Accounts',
  summary: 'Sign up',
  description: 'Creates an account on the `free` tier and returns its first token.',
  body: Type.Object({ email: EmailAddress, password: Password, name: PublicName('Your name as shown to others.') }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada Lovelace' },
  success: created('The account is created.', NewSession, session, '/api/v1/me'),
  errors: {
    BAD_REQUEST: 'A field is not valid, or the password is too easy to guess.',
    CONFLICT: 'That email address already has an account.',
  },
} satisfies Operation;

export const logIn = {
  ...route('logIn', 'POST', '/api/v1/auth/login', 'none'),
  tag: 'Accounts',
  summary: 'Log in',
  description: 'Starts a session and returns its token. Other sessions stay as they are.',
  body: Type.Object({
    email: Type.String({ maxLength: 1000 }),
    password: Type.String({ maxLength: 1000 }),
    totpCode: Type.Optional(
      Type.String({ maxLength: 100, description: 'The current code of the second factor, or a recovery code.' }),
    ),
  }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery' },
  success: ok('Logged in.', NewSession, session),
  errors: {
    UNAUTHORIZED: 'Wrong email or password, or wrong code.',
    TOTP_REQUIRED: 'The account has a second factor: send `totpCode` too.',
  },
} satisfies Operation;

export const getMe = {
  ...route('getMe', 'GET', '/api/v1/me', 'bearer'),
  tag: 'Accounts',
  summary: 'Get the current user',
  description: 'The caller and the organizations the caller belongs to.',
  success: ok('The caller.', Type.Object({ user: User, organizations: Type.Array(Organization) }), {
    user: ada,
    organizations: [exampleOrganization],
  }),
  errors: {},
} satisfies Operation;

export const updateMe = {
  ...route('updateMe', 'PATCH', '/api/v1/me', 'bearer'),
  tag: 'Accounts',
  summary: 'Change your name',
  description: 'Files that are already registered keep the name that was signed with them.',
  body: Type.Object({ name: PublicName('Your name as shown to others.') }),
  exampleBody: { name: 'Ada King' },
  success: ok('The name is changed.', UserResponse, { user: { ...ada, name: 'Ada King' } }),
  errors: { FORBIDDEN: notForKeys },
} satisfies Operation;

export const exportAccount = {
  ...route('exportAccount', 'GET', '/api/v1/me/export', 'bearer'),
  tag: 'Accounts',
  summary: 'Export your data',
  description:
    'Everything that the service has stored about the caller, as one JSON document: account, sessions, organizations, ' +
    'Marks, API keys, webhooks, invitations, events, and all Artifacts that the caller registered. `onClosing` says what stays ' +
    'when the account is closed.',
  success: ok('The data.', AccountExport, {
    exportedAt: exampleTime,
    onClosing: {
      erased: ['Email address, name, password'],
      kept: ['Artifacts, with the name that was signed with them'],
    },
    user: ada,
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
} satisfies Operation;

export const closeAccount = {
  ...route('closeAccount', 'DELETE', '/api/v1/me', 'bearer'),
  tag: 'Accounts',
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
} satisfies Operation;

export const putSubscription = {
  ...route('putSubscription', 'PUT', '/api/v1/subscription', 'bearer'),
  tag: 'Accounts',
  summary: 'Change your tier',
  description:
    "Sets the caller's own tier, effective immediately. With `BILLING=operator` only the operator can. Leaving " +
    '`enterprise` freezes the organizations the caller owns: members are removed, usage units are reset and API keys ' +
    'are suspended. Returning to `enterprise` unfreezes them.',
  body: Type.Object({ tier: Tier }),
  exampleBody: { tier: 'enterprise' },
  success: ok('The tier is set.', UserResponse, { user: adaOnEnterprise }),
  errors: { FORBIDDEN: 'Only the operator can set tiers on this service, or the caller is an API key.' },
} satisfies Operation;

export const putUserTier = {
  ...route('putUserTier', 'PUT', '/api/operator/users/{userId}/tier', 'operator'),
  tag: 'Operator',
  summary: "Set a user's tier",
  description: 'For the operator of the service. Returns 404 to everyone while `OPERATOR_TOKEN` is not set.',
  params: Type.Object({ userId: Uuid('The user.') }),
  body: Type.Object({ tier: Tier }),
  exampleBody: { tier: 'enterprise' },
  success: ok('The tier is set.', UserResponse, { user: adaOnEnterprise }),
  errors: { NOT_FOUND: 'No such user, or operator endpoints are disabled.' },
} satisfies Operation;
