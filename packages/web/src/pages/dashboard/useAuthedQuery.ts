// A query with the session of the user: what an expired session rejected is loaded again after the next log-in.

import { useEffect } from 'react';
import { hasErrorCode } from '../../errorMessages.js';
import { useIsSessionExpired } from '../../session.js';
import { type QueryState, useQuery } from '../../ui/useQuery.js';

export function useAuthedQuery<T>(load: (signal: AbortSignal) => Promise<T>): QueryState<T> {
  const query = useQuery(load);
  const isExpired = useIsSessionExpired();
  const { error, reload } = query;
  const wasRejected = hasErrorCode(error, 'UNAUTHORIZED');
  useEffect(() => {
    if (wasRejected && !isExpired) reload();
  }, [wasRejected, isExpired, reload]);
  return query;
}
