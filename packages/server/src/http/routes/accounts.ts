// Routes of accounts: users, organizations, API keys and tiers.

import { api } from '@provenance-registry/core';
import { chooseTier, describeCaller, logIn, setTier, signUp } from '../../domain/accounts.js';
import { createApiKey, listApiKeys, revokeApiKey } from '../../domain/apiKeys.js';
import {
  addMember,
  createOrganization,
  listMembers,
  listOrganizations,
  readOrganization,
  removeMember,
  setMemberAdmin,
  setUsageUnits,
} from '../../domain/organizations.js';
import type { Ports } from '../../domain/ports/index.js';
import { describeLimits, describeTiers } from '../../domain/tiers.js';
import type { Router } from '../router.js';

export function accountRoutes(route: Router, ports: Ports): void {
  route(api.signUp, ({ body }) => signUp(ports, body));
  route(api.logIn, ({ body }) => logIn(ports, body));
  route(api.getMe, ({ caller }) => describeCaller(ports, caller));
  route(api.putSubscription, async ({ caller, body }) => ({ user: await chooseTier(ports, caller, body.tier) }));
  route(api.putUserTier, async ({ params, body }) => ({ user: await setTier(ports, params.userId, body.tier) }));

  route(api.createOrganization, ({ caller, body }) => createOrganization(ports, caller, body.name));
  route(api.listOrganizations, ({ caller }) => listOrganizations(ports, caller));
  route(api.getOrganization, ({ caller, params }) => readOrganization(ports, caller, params.organizationId));
  route(api.putUsageUnits, ({ caller, params, body }) =>
    setUsageUnits(ports, caller, params.organizationId, body.purchased),
  );
  route(api.addOrganizationMember, ({ caller, params, body }) => addMember(ports, caller, params.organizationId, body));
  route(api.listOrganizationMembers, ({ caller, params }) => listMembers(ports, caller, params.organizationId));
  route(api.updateOrganizationMember, ({ caller, params, body }) =>
    setMemberAdmin(ports, caller, params.organizationId, params.userId, body.isAdmin),
  );
  route(api.removeOrganizationMember, ({ caller, params }) =>
    removeMember(ports, caller, params.organizationId, params.userId),
  );

  route(api.createApiKey, ({ caller, body }) => createApiKey(ports, caller, body));
  route(api.listApiKeys, ({ caller, query }) => listApiKeys(ports, caller, query.organizationId));
  route(api.deleteApiKey, ({ caller, params, query }) =>
    revokeApiKey(ports, caller, query.organizationId, params.keyId),
  );
  route(api.listTiers, () => describeTiers(ports));
  route(api.getTierLimits, ({ caller, query }) => describeLimits(ports, caller, query.organizationId));
}
