// The API client of the pages.

import { createClient, type RegistryClient } from '@provenance-registry/client';
import { useMemo } from 'react';
import { trackedFetch } from './connectionStatus.js';
import { markTokenRejected, useIsSessionExpired, useToken } from './session.js';

/** A client with the current session; anonymous without one. */
export function useRegistryClient(): RegistryClient {
  const token = useToken();
  const isExpired = useIsSessionExpired();
  const credential = isExpired ? undefined : token;
  return useMemo(() => createPageClient(() => credential), [credential]);
}

/** A client that sends the token which `readToken` returns at the time of each request. */
export function createPageClient(readToken: () => string | undefined): RegistryClient {
  const fetchWithToken: typeof fetch = async (address, request) => {
    const token = readToken();
    const headers = new Headers(request?.headers);
    if (token === undefined || !headers.has('authorization')) return trackedFetch(address, request);
    headers.set('authorization', `Bearer ${token}`);
    const response = await trackedFetch(address, { ...request, headers });
    if (response.status === 401) markTokenRejected(token);
    return response;
  };
  return createClient({ baseUrl: location.origin, credential: readToken(), fetch: fetchWithToken });
}
