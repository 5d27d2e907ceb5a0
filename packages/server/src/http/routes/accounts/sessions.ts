// Routes of sessions.

import { api } from '@provenance-registry/core';
import { endSession, endSessions, listSessions, logOut } from '../../../domain/accounts/sessions.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function sessionRoutes(route: Router, ports: Ports): void {
  route(api.logOut, ({ caller }) => logOut(ports, caller));
  route(api.listSessions, ({ caller }) => listSessions(ports, caller));
  route(api.endSession, ({ caller, params }) => endSession(ports, caller, params.sessionId));
  route(api.endSessions, ({ caller, query }) => endSessions(ports, caller, query));
}
