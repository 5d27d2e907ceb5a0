// Routes of user accounts, their sessions and their tiers.

import { api, normalizeEmail } from '@provenance-registry/core';
import { closeAccount } from '../../../domain/accounts/accountClosure.js';
import { exportAccount } from '../../../domain/accounts/accountExport.js';
import { changeName, chooseTier, describeCaller, logIn, setTier, signUp } from '../../../domain/accounts/accounts.js';
import { endSession, endSessions, listSessions, logOut } from '../../../domain/accounts/sessions.js';
import { requireUserSession } from '../../../domain/caller.js';
import type { Ports } from '../../../domain/ports/index.js';
import { describeLimits, describeTiers } from '../../../domain/tiers.js';
import { createExportBudget } from '../../budgets/exportBudget.js';
import { PASSWORD_TIMEOUT_MS, type PasswordBudget } from '../../budgets/passwordBudget.js';
import { makeInTurns, StreamedJson } from '../../responses/streams.js';
import type { Router } from '../../router.js';
import { passwordRequest } from './credentials.js';

/** A million Artifacts on a slow connection. */
const EXPORT_TIMEOUT_MS = 600_000;

export function accountRoutes(route: Router, ports: Ports, spend: PasswordBudget): void {
  const limits = { timeoutMs: PASSWORD_TIMEOUT_MS, takesNoTurn: true };
  const exports = createExportBudget();
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
  route(api.updateMe, async ({ caller, body }) => ({ user: await changeName(ports, caller, body.name) }));
  route(
    api.closeAccount,
    ({ caller, body }, origin) =>
      spend(passwordRequest(caller, origin), () => closeAccount(ports, caller, body.password)),
    limits,
  );
  route(
    api.exportAccount,
    async ({ caller }, origin) => {
      requireUserSession(caller);
      await origin.takeTurn(exports.open);
      const requester = { client: origin.payer, signal: origin.signal };
      return new StreamedJson(makeInTurns(exportAccount(ports, caller.user), exports.pages, requester));
    },
    { timeoutMs: EXPORT_TIMEOUT_MS, takesNoTurn: true },
  );
  route(api.putSubscription, async ({ caller, body }) => ({ user: await chooseTier(ports, caller, body.tier) }));
  route(api.putUserTier, async ({ params, body }) => ({ user: await setTier(ports, params.userId, body.tier) }));
  route(api.listTiers, () => describeTiers(ports));
  route(api.getTierLimits, ({ caller, query }) => describeLimits(ports, caller, query.organizationId));
  route(api.logOut, ({ caller }) => logOut(ports, caller));
  route(api.listSessions, ({ caller }) => listSessions(ports, caller));
  route(api.endSession, ({ caller, params }) => endSession(ports, caller, params.sessionId));
  route(api.endSessions, ({ caller, query }) => endSessions(ports, caller, query));
}
