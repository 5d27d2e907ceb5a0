// Routes of API keys.

import { api } from '@provenance-registry/core';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../domain/organizations/apiKeys.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function apiKeyRoutes(route: Router, ports: Ports): void {
  route(api.createApiKey, ({ caller, body }) => createApiKey(ports, caller, body));
  route(api.listApiKeys, ({ caller, query }) => listApiKeys(ports, caller, query.organizationId));
  route(api.deleteApiKey, ({ caller, params, query }) =>
    revokeApiKey(ports, caller, query.organizationId, params.keyId),
  );
}
