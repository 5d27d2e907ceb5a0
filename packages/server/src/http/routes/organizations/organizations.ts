// Routes of organizations and their API keys.

import { api } from '@provenance-registry/core';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../domain/organizations/apiKeys.js';
import { removeMember, transferOrganization } from '../../../domain/organizations/memberships.js';
import {
  createOrganization,
  listEvents,
  listMembers,
  listOrganizations,
  readOrganization,
  readOverview,
  setMemberAdmin,
  setUsageUnits,
} from '../../../domain/organizations/organizations.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function organizationRoutes(route: Router, ports: Ports): void {
  route(api.createOrganization, ({ caller, body }) => createOrganization(ports, caller, body.name));
  route(api.listOrganizations, ({ caller }) => listOrganizations(ports, caller));
  route(api.getOrganization, ({ caller, params }) => readOrganization(ports, caller, params.organizationId));
  route(api.getOrganizationOverview, ({ caller, params }) => readOverview(ports, caller, params.organizationId));
  route(api.putUsageUnits, ({ caller, params, body }) =>
    setUsageUnits(ports, caller, params.organizationId, body.purchased),
  );
  route(api.listOrganizationMembers, ({ caller, params }) => listMembers(ports, caller, params.organizationId));
  route(api.updateOrganizationMember, ({ caller, params, body }) =>
    setMemberAdmin(ports, caller, params.organizationId, params.userId, body.isAdmin),
  );
  route(api.removeOrganizationMember, ({ caller, params }) =>
    removeMember(ports, caller, params.organizationId, params.userId),
  );
  route(api.transferOrganization, ({ caller, params, body }) =>
    transferOrganization(ports, caller, params.organizationId, body.userId),
  );
  route(api.listOrganizationEvents, ({ caller, params, query }) =>
    listEvents(ports, caller, params.organizationId, query),
  );
  route(api.createApiKey, ({ caller, body }) => createApiKey(ports, caller, body));
  route(api.listApiKeys, ({ caller, query }) => listApiKeys(ports, caller, query.organizationId));
  route(api.deleteApiKey, ({ caller, params, query }) =>
    revokeApiKey(ports, caller, query.organizationId, params.keyId),
  );
}
