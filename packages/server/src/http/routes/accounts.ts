// Routes of user accounts.

import { api, normalizeEmail } from '@provenance-registry/core';
import { chooseTier, describeCaller, logIn, setTier, signUp } from '../../domain/accounts.js';
import type { Ports } from '../../domain/ports/index.js';
import { PASSWORD_TIMEOUT_MS, type PasswordBudget } from '../passwordBudget.js';
import type { Router } from '../router.js';

export function accountRoutes(route: Router, ports: Ports, spend: PasswordBudget): void {
  const limits = { timeoutMs: PASSWORD_TIMEOUT_MS };
  route(
    api.signUp,
    ({ body }, origin) =>
      spend({ client: origin.client, email: normalizeEmail(body.email), signal: origin.signal }, () =>
        signUp(ports, body, origin),
      ),
    limits,
  );
  route(
    api.logIn,
    ({ body }, origin) =>
      spend({ client: origin.client, email: normalizeEmail(body.email), signal: origin.signal }, () =>
        logIn(ports, body, origin),
      ),
    limits,
  );
  route(api.getMe, ({ caller }) => describeCaller(ports, caller));
  route(api.putSubscription, async ({ caller, body }) => ({ user: await chooseTier(ports, caller, body.tier) }));
  route(api.putUserTier, async ({ params, body }) => ({ user: await setTier(ports, params.userId, body.tier) }));
}
