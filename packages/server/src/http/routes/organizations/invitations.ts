// Routes of invitations to organizations and Marks.

import { api } from '@provenance-registry/core';
import {
  acceptInvitation,
  declineInvitation,
  inviteToMark,
  inviteToOrganization,
  listMarkInvitations,
  listOrganizationInvitations,
  listReceivedInvitations,
  previewInvitation,
  withdrawMarkInvitation,
  withdrawOrganizationInvitation,
} from '../../../domain/organizations/invitations.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function invitationRoutes(route: Router, ports: Ports): void {
  route(api.createOrganizationInvitation, ({ caller, params, body }) =>
    inviteToOrganization(ports, caller, params.organizationId, body),
  );
  route(api.listOrganizationInvitations, ({ caller, params }) =>
    listOrganizationInvitations(ports, caller, params.organizationId),
  );
  route(api.withdrawOrganizationInvitation, ({ caller, params }) =>
    withdrawOrganizationInvitation(ports, caller, params.organizationId, params.invitationId),
  );
  route(api.createMarkInvitation, ({ caller, params, body }) => inviteToMark(ports, caller, params.markId, body));
  route(api.listMarkInvitations, ({ caller, params }) => listMarkInvitations(ports, caller, params.markId));
  route(api.withdrawMarkInvitation, ({ caller, params }) =>
    withdrawMarkInvitation(ports, caller, params.markId, params.invitationId),
  );
  route(api.listReceivedInvitations, ({ caller }) => listReceivedInvitations(ports, caller));
  route(api.previewInvitation, ({ body }) => previewInvitation(ports, body.token));
  route(api.acceptInvitation, ({ caller, body }) => acceptInvitation(ports, caller, body.token));
  route(api.declineInvitation, ({ caller, body }) => declineInvitation(ports, caller, body.token));
}
