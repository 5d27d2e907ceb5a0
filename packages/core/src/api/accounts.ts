// Accounts: sign-up, log-in, the current user and its tier.

import Type, { type Static } from 'typebox';
import { DisplayName, EmailAddress, Password } from '../text.js';
import { Tier } from '../tiers.js';
import { created, exampleAuthor, Nullable, ok, route } from './declarations.js';
import { type Operation, Timestamp, Uuid } from './operation.js';
import { exampleOrganization, Organization } from './organizations.js';

export const User = Type.Object(
  {
    id: Uuid('The user.'),
    email: Nullable<string>('string', 'Null for a user of an OpenID provider that supplies no verified address.'),
    name: Type.String(),
    tier: Tier,
  },
  { title: 'User', description: 'A user, as shown to that user only.' },
);
export type User = Static<typeof User>;

export const Session = Type.Object(
  {
    user: User,
    token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`.' }),
    expiresAt: Timestamp('When the token expires: seven days after it was issued.'),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

const UserResponse = Type.Object({ user: User });

const ada: User = { ...exampleAuthor, email: 'ada@example.com', tier: 'free' };
const adaOnEnterprise: User = { ...ada, tier: 'enterprise' };
const session: Session = { user: ada, token: 'header.claims.signature', expiresAt: '2026-06-08T12:00:00.000Z' };

export const signUp = {
  ...route('signUp', 'POST', '/api/v1/auth/signup', 'none'),
  tag: 'Accounts',
  summary: 'Sign up',
  description: 'Creates an account on the `free` tier and returns its first token.',
  body: Type.Object({ email: EmailAddress, password: Password, name: DisplayName('Your name as shown to others.') }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada Lovelace' },
  success: created('The account is created.', Session, session, '/api/v1/me'),
  errors: { CONFLICT: 'That email address already has an account.' },
} satisfies Operation;

export const logIn = {
  ...route('logIn', 'POST', '/api/v1/auth/login', 'none'),
  tag: 'Accounts',
  summary: 'Log in',
  description: 'Returns a new token. Earlier tokens stay valid until they expire.',
  body: Type.Object({ email: Type.String({ maxLength: 1000 }), password: Type.String({ maxLength: 1000 }) }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery' },
  success: ok('Logged in.', Session, session),
  errors: { UNAUTHORIZED: 'Wrong email or password.' },
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
