// Which requests may be sent again after a failure, and what the response to a repetition means.

import type { OperationId } from './operationRequest.js';
import { operations } from './operations.generated.js';

/** If the first request was processed and its response lost, a second one would be refused. */
const sentOnce: ReadonlySet<OperationId> = new Set<OperationId>([
  // The current password is another one then, or the token ended.
  'changePassword',
  'closeAccount',
  // A code works once, and so does an invitation.
  'confirmTotp',
  'acceptInvitation',
  // The caller has no longer the role that it takes.
  'transferOrganization',
  'putMarkAdmin',
  // An answer or a note would be there twice for good; a claim that is not open is refused.
  'answerClaim',
  'withdrawClaim',
  'concedeClaim',
  'addOperatorNote',
]);

/** Not found may also mean accepted, which is the opposite of withdrawn. */
const withdrawals: ReadonlySet<OperationId> = new Set<OperationId>([
  'withdrawOrganizationInvitation',
  'withdrawMarkInvitation',
]);

const NOT_FOUND = 404;
const UNAUTHORIZED = 401;

export function isRepeatable(id: OperationId, input: Readonly<Record<string, unknown>>): boolean {
  const { method, status, isCreation } = operations[id];
  if (isCreation) return true;
  if (sentOnce.has(id)) return false;
  if (id === 'logIn') return input['totpCode'] === undefined;
  // Ends the session of the repetition too.
  if (id === 'endSessions') return input['keepCurrent'] === true;
  // POSTs that create something respond with 201, those that use something up with 204. The others look up or send mail.
  return method !== 'POST' || id === 'logOut' || status === 200 || status === 202;
}

/** An earlier attempt whose response was lost may have done it already. */
export function isDoneAlready(id: OperationId, attempt: number, status: number): boolean {
  if (attempt === 1) return false;
  // Whatever the reason, the token does not work any more.
  if (id === 'logOut') return status === UNAUTHORIZED;
  return operations[id].method === 'DELETE' && status === NOT_FOUND && !withdrawals.has(id);
}
