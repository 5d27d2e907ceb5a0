// Routes of user accounts.

import { api } from '@provenance-registry/core';
import { chooseTier, describeCaller, logIn, setTier, signUp } from '../../domain/accounts.js';
import type { Ports } from '../../domain/ports/index.js';
import type { Router } from '../router.js';

export function accountRoutes(route: Router, ports: Ports): void {
  route(api.signUp, ({ body }) => signUp(ports, body));
  route(api.logIn, ({ body }) => logIn(ports, body));
  route(api.getMe, ({ caller }) => describeCaller(ports, caller));
  route(api.putSubscription, async ({ caller, body }) => ({ user: await chooseTier(ports, caller, body.tier) }));
  route(api.putUserTier, async ({ params, body }) => ({ user: await setTier(ports, params.userId, body.tier) }));
}
