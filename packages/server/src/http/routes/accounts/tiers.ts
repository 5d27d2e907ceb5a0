// Routes of tiers and their limits.

import { api } from '@provenance-registry/core';
import type { Ports } from '../../../domain/ports/index.js';
import { describeLimits, describeTiers } from '../../../domain/tiers.js';
import type { Router } from '../../router.js';

export function tierRoutes(route: Router, ports: Ports): void {
  route(api.listTiers, () => describeTiers(ports));
  route(api.getTierLimits, ({ caller, query }) => describeLimits(ports, caller, query.organizationId));
}
