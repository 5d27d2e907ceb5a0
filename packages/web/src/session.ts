// The session token, shared by all tabs through localStorage; in memory where storage is blocked.

import { createStore, useStore } from './store.js';

const KEY = 'provenance-token';

interface Session {
  readonly token: string | undefined;
  /** The last token that the service rejected. It stays stored until the user logs in or out. */
  readonly rejectedToken: string | undefined;
}

const session = createStore<Session>({ token: readStoredToken(), rejectedToken: undefined });

/** Notifies of log-ins and log-outs, in this tab and others, and of rejected tokens. */
export const subscribeToSession = session.subscribe;

// Other tabs log in and out.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) updateToken(readStoredToken());
});

function readStoredToken(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function updateToken(token: string | undefined): void {
  if (token !== session.get().token) session.set({ ...session.get(), token });
}

export function getToken(): string | undefined {
  return session.get().token;
}

export function setToken(token: string | undefined): void {
  try {
    if (token === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, token);
  } catch {
    // Blocked or full: the token stays in memory, for this tab.
  }
  updateToken(token);
}

export function markTokenRejected(token: string): void {
  session.set({ ...session.get(), rejectedToken: token });
}

export function useToken(): string | undefined {
  return useStore(session).token;
}

/** Undefined also after the service has rejected the token. */
export function useValidToken(): string | undefined {
  const token = useToken();
  return useIsSessionExpired() ? undefined : token;
}

/** Whether the service has rejected the current token. */
export function isSessionExpired({ token, rejectedToken }: Session = session.get()): boolean {
  return token !== undefined && token === rejectedToken;
}

function useIsSessionExpired(): boolean {
  return isSessionExpired(useStore(session));
}

/** Whether it is the last token that the service has rejected. */
export function useIsTokenRejected(token: string | undefined): boolean {
  return useStore(session).rejectedToken === token && token !== undefined;
}
