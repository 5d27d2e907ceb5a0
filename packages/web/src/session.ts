// Who is logged in. The token is kept in the browser's storage, for all tabs; where storage is blocked, in memory.

import { useSyncExternalStore } from 'react';

const KEY = 'provenance-token';
const listeners = new Set<() => void>();
let inMemory: string | undefined;
let isStored = true;
let refused: string | undefined;

export function currentToken(): string | undefined {
  if (!isStored) return inMemory;
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return inMemory;
  }
}

export function keepToken(token: string | undefined): void {
  inMemory = token;
  try {
    if (token === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
    isStored = true;
  } catch {
    // Blocked or full: this tab goes on with what is in memory.
    isStored = false;
  }
  tell();
}

/** The service does not take the token any more: it has expired. It stays until somebody logs in or out. */
export function tokenWasRefused(token: string): void {
  refused = token;
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Told when somebody logs in or out, here or in another tab, and when a token is refused. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

export function useToken(): string | undefined {
  return useSyncExternalStore(onSession, currentToken);
}

/** Whether the token that is there is refused by the service. */
export function useIsSessionOver(): boolean {
  return useSyncExternalStore(onSession, () => {
    const token = currentToken();
    return token !== undefined && token === refused;
  });
}
