// API keys: machine access to one organization.

import Type, { type Static } from 'typebox';
import { DisplayName, StringEnum } from '../../text/text.js';
import { created, exampleTime, Nullable, noContent, ok, operations, route } from '../declarations.js';
import { type ApiKeyScope, apiKeyScopes, exampleIds, Timestamp, Uuid } from '../operation.js';

export const API_KEY_PREFIX = 'svc_';
export const API_KEY_RANDOM_LENGTH = 22;
export const apiKeyPattern = new RegExp(`^${API_KEY_PREFIX}[0-9A-Za-z]{${API_KEY_RANDOM_LENGTH}}$`);

const common = {
  id: Uuid('The key.'),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the token.' }),
  last4: Type.String({ description: 'The last four characters of the token.' }),
  createdAt: Timestamp('When the key was created.'),
  scope: Type.Unsafe<ApiKeyScope | null>({
    type: ['string', 'null'],
    enum: [...apiKeyScopes, null],
    description: 'What the key may do; null: everything that the owner may do in the organization.',
  }),
  expiresAt: Nullable<string>('string', 'When the key stops working; null: never.'),
};

export const ApiKey = Type.Object(
  {
    ...common,
    lastUsedAt: Nullable<string>('string', 'When the key was last used, to within a few seconds; null if never.'),
    lastUsedAddress: Nullable<string>('string', 'The network address of the client that used it last.'),
    lastUsedAgent: Nullable<string>('string', 'The `User-Agent` of the client that used it last.'),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  { ...common, token: Type.String({ description: 'Shown only once; the service does not store it.' }) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

const example = {
  id: exampleIds.KEY_ID,
  name: 'build server',
  prefix: 'svc_Ab3dEf7h',
  last4: '9XyZ',
  createdAt: exampleTime,
  scope: null,
  expiresAt: null,
};

const OrganizationQuery = Type.Object({
  organizationId: Type.Optional(
    Uuid('The organization. Required with a user token; an API key belongs to one organization.'),
  ),
});
const exampleQuery = { organizationId: exampleIds.ORGANIZATION_ID };

const commonErrors = {
  FORBIDDEN: 'The caller is not the owner of the organization.',
  API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
};

export const apiKeyOperations = operations('API keys', {
  createApiKey: {
    ...route('POST', '/api/v1/api-keys', 'bearer'),
    summary: 'Create an API key',
    description:
      'The key acts on behalf of the organization owner. Only the owner can create keys, with a user token, on the ' +
      'enterprise tier; up to five can be active.',
    body: Type.Object({
      organizationId: Uuid('The organization.'),
      name: DisplayName('What the key is for.', 64),
      scope: Type.Optional(
        StringEnum(apiKeyScopes, {
          description:
            'Limits the key: `read` to reading, `register` to reading and registering files, `manage` to reading and ' +
            'managing the organization. Without a scope it acts as the owner.',
        }),
      ),
      expiresAt: Type.Optional(Timestamp('When the key stops working; in the future. Never by default.')),
    }),
    exampleBody: { ...exampleQuery, name: example.name },
    success: created(
      'The key, with its token.',
      NewApiKey,
      { ...example, token: 'svc_Ab3dEf7h…9XyZ' },
      '/api/v1/api-keys/{id}',
    ),
    errors: {
      BAD_REQUEST: '`expiresAt` is not in the future.',
      ...commonErrors,
      FORBIDDEN: 'The caller is not the owner of the organization, or is an API key.',
      TIER_LIMIT_REACHED: 'The organization is not on the enterprise tier, or five keys are active.',
    },
  },
  listApiKeys: {
    ...route('GET', '/api/v1/api-keys', 'bearer'),
    summary: 'List API keys',
    description: "The organization's active keys, oldest first, without their tokens.",
    query: OrganizationQuery,
    exampleQuery,
    success: ok('The keys.', Type.Array(ApiKey), [
      { ...example, lastUsedAt: null, lastUsedAddress: null, lastUsedAgent: null },
    ]),
    errors: { ...commonErrors, MISSING_ORGANIZATION_ID: '`organizationId` is required with a user token.' },
  },
  deleteApiKey: {
    ...route('DELETE', '/api/v1/api-keys/{keyId}', 'bearer'),
    summary: 'Revoke an API key',
    description: 'The key stops working immediately.',
    params: Type.Object({ keyId: Uuid('The key.') }),
    query: OrganizationQuery,
    exampleQuery,
    success: noContent('The key is revoked.'),
    errors: {
      ...commonErrors,
      MISSING_ORGANIZATION_ID: '`organizationId` is required with a user token.',
      NOT_FOUND: 'The organization has no such active key.',
    },
  },
});
