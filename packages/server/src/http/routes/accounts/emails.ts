// Routes of email verification, changes of the address, and password resets.

import { api, normalizeEmail } from '@provenance-registry/core';
import { changeEmail, resendVerification, verifyEmail } from '../../../domain/accounts/emailAddresses.js';
import { confirmPasswordReset, requestPasswordReset } from '../../../domain/accounts/passwordResets.js';
import type { Ports } from '../../../domain/ports/index.js';
import { PASSWORD_TIMEOUT_MS, type PasswordBudget } from '../../budgets/passwordBudget.js';
import type { Router } from '../../router.js';
import { passwordRequest } from './credentials.js';

export function emailRoutes(route: Router, ports: Ports, spend: PasswordBudget): void {
  const limits = { timeoutMs: PASSWORD_TIMEOUT_MS, takesNoTurn: true };
  route(api.verifyEmail, ({ body }) => verifyEmail(ports, body.token));
  route(api.resendVerification, ({ caller }) => resendVerification(ports, caller));
  route(
    api.changeEmail,
    ({ caller, body }, origin) => spend(passwordRequest(caller, origin), () => changeEmail(ports, caller, body)),
    limits,
  );
  // No password is hashed, but everyone can ask for a mail: turns are fair here too.
  route(
    api.requestPasswordReset,
    ({ body }, { client, signal }) =>
      spend({ client, email: normalizeEmail(body.email), signal }, () => requestPasswordReset(ports, body.email)),
    limits,
  );
  route(
    api.confirmPasswordReset,
    ({ body }, { client, signal }) =>
      spend({ client, email: `reset ${body.token}`, signal }, () => confirmPasswordReset(ports, body)),
    limits,
  );
}
