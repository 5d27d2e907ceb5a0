// The user who looks at a public page.

import { useCallback } from 'preact/compat';
import { useRegistryClient } from './registryClient.js';
import { useQuery } from './ui/feedback/query.js';

/** Undefined without a session, or while it is not known: what depends on it is not offered. */
export function useUserId(): string | undefined {
  const client = useRegistryClient();
  const load = useCallback(
    async (signal: AbortSignal) => (client.hasCredential ? (await client.getMe({ signal })).user.id : undefined),
    [client],
  );
  return useQuery(load).value;
}
