// Accounts: signing up, logging in, who am I, which tier.

import Type, { type Static } from 'typebox';
import { DisplayName, EmailAddress, Password } from '../text.js';
import { Tier } from '../tiers.js';
import { exampleIds, type Operation, Timestamp, Uuid } from './operation.js';
import { exampleOrganization, Organization } from './organizations.js';

export const User = Type.Object(
  {
    id: Uuid('The user.'),
    email: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Null for a user of an OpenID provider that vouches for no address.',
    }),
    name: Type.String(),
    tier: Tier,
  },
  { title: 'User', description: 'A user, as shown to that user alone.' },
);
export type User = Static<typeof User>;

export const Session = Type.Object(
  {
    user: User,
    token: Type.String({ description: 'Send it as `Authorization: Bearer <token>`.' }),
    expiresAt: Timestamp('When the token stops working: seven days after it was issued.'),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

const UserAnswer = Type.Object({ user: User });

const ada: User = {
  id: exampleIds.USER_ID,
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  tier: 'free',
};
const adaOnEnterprise: User = { ...ada, tier: 'enterprise' };
const session: Session = {
  user: ada,
  token: 'header.claims.signature',
  expiresAt: '2026-06-08T12:00:00.000Z',
};

export const signUp = {
  id: 'signUp',
  method: 'POST',
  path: '/api/v1/auth/signup',
  tag: 'Accounts',
  summary: 'Sign up',
  description: 'Makes an account on the `free` tier and answers with its first token.',
  auth: 'none',
  body: Type.Object({
    email: EmailAddress,
    password: Password,
    name: DisplayName('How others see you, beside what you register.'),
  }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada Lovelace' },
  success: { status: 201, description: 'The account is made.', schema: Session, example: session },
  errors: { CONFLICT: 'That email address has an account already.' },
} satisfies Operation;

export const logIn = {
  id: 'logIn',
  method: 'POST',
  path: '/api/v1/auth/login',
  tag: 'Accounts',
  summary: 'Log in',
  description: 'Answers with a new token; older ones stay valid until they expire.',
  auth: 'none',
  body: Type.Object({
    email: Type.String({ maxLength: 1000 }),
    password: Type.String({ maxLength: 1000 }),
  }),
  exampleBody: { email: 'ada@example.com', password: 'correct horse battery' },
  success: { status: 200, description: 'The pair is right.', schema: Session, example: session },
  errors: { UNAUTHORIZED: 'The pair of address and password is wrong.' },
} satisfies Operation;

export const getMe = {
  id: 'getMe',
  method: 'GET',
  path: '/api/v1/me',
  tag: 'Accounts',
  summary: 'Who am I?',
  description: 'The caller and the organizations that the caller belongs to.',
  auth: 'bearer',
  success: {
    status: 200,
    description: 'The caller.',
    schema: Type.Object({ user: User, organizations: Type.Array(Organization) }),
    example: {
      user: ada,
      organizations: [exampleOrganization],
    },
  },
  errors: {},
} satisfies Operation;

export const putSubscription = {
  id: 'putSubscription',
  method: 'PUT',
  path: '/api/v1/subscription',
  tag: 'Accounts',
  summary: 'Choose a tier',
  description:
    "Sets the caller's own tier, at once. With `BILLING=operator` only the operator can. Leaving `enterprise` freezes " +
    'the organizations that the caller owns: members leave, units are reset, API keys stop. Coming back thaws them.',
  auth: 'bearer',
  body: Type.Object({ tier: Tier }),
  exampleBody: { tier: 'enterprise' },
  success: { status: 200, description: 'The tier is set.', schema: UserAnswer, example: { user: adaOnEnterprise } },
  errors: { FORBIDDEN: 'Tiers are set by the operator here, or the caller is an API key.' },
} satisfies Operation;

export const putUserTier = {
  id: 'putUserTier',
  method: 'PUT',
  path: '/api/operator/users/{userId}/tier',
  tag: 'Operator',
  summary: "Set a user's tier",
  description: 'For the one who runs the service. Answers 404 to everyone while `OPERATOR_TOKEN` is not set.',
  auth: 'operator',
  params: Type.Object({ userId: Uuid('The user.') }),
  body: Type.Object({ tier: Tier }),
  exampleBody: { tier: 'enterprise' },
  success: { status: 200, description: 'The tier is set.', schema: UserAnswer, example: { user: adaOnEnterprise } },
  errors: { NOT_FOUND: 'There is no such user, or operator endpoints are switched off.' },
} satisfies Operation;
