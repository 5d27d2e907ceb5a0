// The token of the invitation that the user has opened. It is never in an address that is sent to the service, and survives
// logging in, signing up and reloading in this tab; in memory where storage is blocked.

import { createStore } from '../../store.js';

const KEY = 'provenance-invitation';

const stored = createStore<string | undefined>(readStored());
export const invitationToken = { get: stored.get, subscribe: stored.subscribe };

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeInvitationToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Blocked or full: the token stays in memory.
  }
  stored.set(token);
}
