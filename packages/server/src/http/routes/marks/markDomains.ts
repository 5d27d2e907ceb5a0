// Routes of the domains that Marks claim.

import { api } from '@provenance-registry/core';
import { claimDomain, listDomains, removeDomain, scheduleDomainCheck } from '../../../domain/marks/markDomains.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function domainRoutes(route: Router, ports: Ports): void {
  route(api.claimDomain, ({ caller, params, body }) => claimDomain(ports, caller, params.markId, body.domain));
  route(api.listDomains, ({ caller, params }) => listDomains(ports, caller, params.markId));
  route(api.checkDomain, ({ caller, params }) => scheduleDomainCheck(ports, caller, params.markId, params.domain));
  route(api.removeDomain, ({ caller, params }) => removeDomain(ports, caller, params.markId, params.domain));
}
