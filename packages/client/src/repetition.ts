// Which requests may be sent again after a failure, and what the response to a repetition means.

import { api, type Operation } from '@provenance-registry/core';

/** If the first request was processed and its response lost, a second one would be refused. */
const sentOnce: ReadonlySet<Operation> = new Set<Operation>([
  // The current password is another one then, or the token ended.
  api.changePassword,
  api.closeAccount,
  // A code works once, and so does an invitation.
  api.confirmTotp,
  api.acceptInvitation,
  // The caller has no longer the role that it takes.
  api.transferOrganization,
  api.putMarkAdmin,
  // An answer or a note would be there twice for good; a claim that is not open is refused.
  api.answerClaim,
  api.withdrawClaim,
  api.concedeClaim,
  api.addOperatorNote,
]);

/** Not found may also mean accepted, which is the opposite of withdrawn. */
const withdrawals: ReadonlySet<Operation> = new Set<Operation>([
  api.withdrawOrganizationInvitation,
  api.withdrawMarkInvitation,
]);

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;

export function isRepeatable(operation: Operation, input: Readonly<Record<string, unknown>>): boolean {
  if ('idempotency-key' in (operation.headers?.properties ?? {})) return true;
  if (sentOnce.has(operation)) return false;
  if (operation === api.logIn) return input['totpCode'] === undefined;
  // Ends the session of the repetition too.
  if (operation === api.endSessions) return input['keepCurrent'] === true;
  return operation.method !== 'POST' || operation === api.logOut || isHarmless(operation);
}

/** POSTs that create something respond with 201, those that use something up with 204. The others look up or send mail. */
function isHarmless({ success: { status } }: Operation): boolean {
  return status === 200 || status === 202;
}

/** An earlier attempt whose response was lost may have done it already. */
export function isDoneAlready(operation: Operation, attempt: number, status: number): boolean {
  if (attempt === 1) return false;
  // Whatever the reason, the token does not work any more.
  if (operation === api.logOut) return status === UNAUTHORIZED;
  return operation.method === 'DELETE' && status === NOT_FOUND && !withdrawals.has(operation);
}
