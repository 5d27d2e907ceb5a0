// Routes of passwords and second factors.

import { api } from '@provenance-registry/core';
import { changePassword } from '../../../domain/accounts/credentials.js';
import { confirmTotp, removeTotp, startTotp } from '../../../domain/accounts/secondFactor.js';
import type { Caller } from '../../../domain/caller.js';
import type { Ports } from '../../../domain/ports/index.js';
import { PASSWORD_TIMEOUT_MS, type PasswordBudget } from '../../budgets/passwordBudget.js';
import type { CallOrigin } from '../../callOrigin.js';
import type { Router } from '../../router.js';

export function credentialRoutes(route: Router, ports: Ports, spend: PasswordBudget): void {
  const limits = { timeoutMs: PASSWORD_TIMEOUT_MS, takesNoTurn: true };
  route(
    api.changePassword,
    ({ caller, body }, origin) =>
      spend(passwordRequest(caller, origin), async () => changePassword(ports, caller, body)),
    limits,
  );
  route(
    api.startTotp,
    ({ caller, body }, origin) => spend(passwordRequest(caller, origin), () => startTotp(ports, caller, body.password)),
    limits,
  );
  route(api.confirmTotp, ({ caller, body }) => confirmTotp(ports, caller, body.code));
  route(
    api.removeTotp,
    ({ caller, body }, origin) =>
      spend(passwordRequest(caller, origin), () => removeTotp(ports, caller, body.password)),
    limits,
  );
}

/** Describes a check of the password like a log-in of the caller. */
export function passwordRequest({ user }: Caller, { client, signal }: CallOrigin) {
  return { client, email: user.email ?? user.id, signal };
}
