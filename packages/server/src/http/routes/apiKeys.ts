// API keys, and the limits of a tier, over HTTP.

import { api } from '@provenance-registry/core';
import { createApiKey, listApiKeys, revokeApiKey } from '../../domain/apiKeys.js';
import type { Ports } from '../../domain/ports/index.js';
import { describeLimits, describeTiers } from '../../domain/tiers.js';
import type { Router } from '../route.js';

export function apiKeyRoutes(route: Router, ports: Ports): void {
  route(api.createApiKey, ({ caller, body }) => createApiKey(ports, caller, body));
  route(api.listApiKeys, ({ caller, query }) => listApiKeys(ports, caller, query.organizationId));
  route(api.deleteApiKey, ({ caller, params, query }) =>
    revokeApiKey(ports, caller, query.organizationId, params.keyId),
  );
}

export function limitRoutes(route: Router, ports: Ports): void {
  route(api.listTiers, () => describeTiers(ports));
  route(api.getTierLimits, ({ caller, query }) => describeLimits(ports, caller, query.organizationId));
}
