// The API client of the pages.

import { createClient, type RegistryClient } from '@provenance-registry/client';
import { useMemo } from 'preact/compat';
import { isServiceUnreachable } from './serviceStatus.js';
import { markTokenRejected, useValidToken } from './session.js';

const trackedFetch: typeof fetch = async (...request) => {
  try {
    const response = await fetch(...request);
    const hasFailed = response.status >= 500 && !hasOwnLimits(response);
    if (!hasFailed || !isStream(request[0])) isServiceUnreachable.set(hasFailed);
    return response;
  } catch (error) {
    // An aborted request says nothing about the connection.
    if (!request[1]?.signal?.aborted && !isStream(request[0])) isServiceUnreachable.set(true);
    throw error;
  }
};

/** Searches for look-alikes are refused while others are in progress, which says nothing about the rest of the service. */
function hasOwnLimits({ status, url }: Response): boolean {
  return status === 503 && new URL(url).pathname.endsWith('/lookalikes');
}

/** A proxy may refuse streams alone. */
function isStream(address: Parameters<typeof fetch>[0]): boolean {
  return String(address).includes('/api/v1/events/stream');
}

/** A client with the current session; anonymous without one. */
export function useRegistryClient(): RegistryClient {
  const token = useValidToken();
  return useMemo(() => createPageClient(() => token), [token]);
}

/** A client that sends the token which `readToken` returns at the time of each request. */
export function createPageClient(readToken: () => string | undefined): RegistryClient {
  const fetchWithToken: typeof fetch = async (address, request) => {
    const token = readToken();
    const headers = new Headers(request?.headers);
    if (token === undefined || !headers.has('authorization')) return trackedFetch(address, request);
    headers.set('authorization', `Bearer ${token}`);
    const response = await trackedFetch(address, { ...request, headers });
    if (response.status === 401 && !(await isTokenValid(token, response.url, request?.method)))
      markTokenRejected(token);
    return response;
  };
  return createClient({ baseUrl: location.origin, credential: readToken(), fetch: fetchWithToken });
}

/** Changes of the account are also refused with 401 when the password in the body is wrong: then the token still works. */
async function isTokenValid(token: string, url: string, method = 'GET'): Promise<boolean> {
  const { pathname } = new URL(url);
  if (method === 'GET' || !/^\/api\/v1\/me(\/|$)/.test(pathname)) return false;
  const { status } = await trackedFetch('/api/v1/me', { headers: { authorization: `Bearer ${token}` } });
  return status !== 401;
}
