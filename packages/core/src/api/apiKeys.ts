// API keys: machine access to one organization.

import Type, { type Static } from 'typebox';
import { DisplayName } from '../text.js';
import { exampleIds, type Operation, Timestamp, Uuid } from './operation.js';

export const API_KEY_PREFIX = 'svc_';
export const API_KEY_RANDOM_LENGTH = 22;
export const apiKeyPattern = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${API_KEY_RANDOM_LENGTH}}$`);

const common = {
  id: Uuid('The key.'),
  name: Type.String(),
  prefix: Type.String({ description: 'How the token begins.' }),
  last4: Type.String({ description: 'How the token ends.' }),
  createdAt: Timestamp('When it was made.'),
};

export const ApiKey = Type.Object(
  {
    ...common,
    lastUsedAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'When it was last used, to within a few seconds; null: never.',
    }),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  { ...common, token: Type.String({ description: 'Shown this once, and kept nowhere.' }) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

const example = {
  id: exampleIds.KEY_ID,
  name: 'build server',
  prefix: 'svc_Ab3dEf7h',
  last4: '9XyZ',
  createdAt: '2026-06-01T12:00:00.000Z',
};

const OrganizationQuery = Type.Object({
  organizationId: Type.Optional(Uuid('The organization. Needed with a user token; an API key has its own.')),
});
const exampleQuery = { organizationId: exampleIds.ORGANIZATION_ID };

const refusals = {
  FORBIDDEN: 'The caller is not the owner of the organization.',
  API_KEY_ORG_MISMATCH: "The organization is not the API key's own.",
};

export const createApiKey = {
  id: 'createApiKey',
  method: 'POST',
  path: '/api/v1/api-keys',
  tag: 'API keys',
  summary: 'Make an API key',
  description:
    'The key acts as the owner of the organization. Only that owner can make one, with a user token, on the enterprise ' +
    'tier; five can be active.',
  auth: 'bearer',
  body: Type.Object({
    organizationId: Uuid('The organization.'),
    name: DisplayName('What the key is for.', 64),
  }),
  exampleBody: { organizationId: exampleIds.ORGANIZATION_ID, name: 'build server' },
  success: {
    status: 201,
    description: 'The key, with its token.',
    schema: NewApiKey,
    example: { ...example, token: 'svc_Ab3dEf7h…9XyZ' },
  },
  errors: { ...refusals, TIER_LIMIT_REACHED: 'Not on the enterprise tier, or five keys are active.' },
} satisfies Operation;

export const listApiKeys = {
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/v1/api-keys',
  tag: 'API keys',
  summary: 'Active API keys',
  description: "The organization's keys, oldest first, without their tokens.",
  auth: 'bearer',
  query: OrganizationQuery,
  exampleQuery,
  success: {
    status: 200,
    description: 'The keys.',
    schema: Type.Array(ApiKey),
    example: [{ ...example, lastUsedAt: null }],
  },
  errors: { ...refusals, MISSING_ORGANIZATION_ID: 'A user token needs `organizationId`.' },
} satisfies Operation;

export const deleteApiKey = {
  id: 'deleteApiKey',
  method: 'DELETE',
  path: '/api/v1/api-keys/{keyId}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'It stops working at once, everywhere.',
  auth: 'bearer',
  params: Type.Object({ keyId: Uuid('The key.') }),
  query: OrganizationQuery,
  exampleQuery,
  success: { status: 204, description: 'The key is revoked.' },
  errors: {
    ...refusals,
    MISSING_ORGANIZATION_ID: 'A user token needs `organizationId`.',
    NOT_FOUND: 'The organization has no such active key.',
  },
} satisfies Operation;
