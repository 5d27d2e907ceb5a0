// Loading what is one's own: after a log-in in the middle, what was refused is loaded again by itself.

import { useEffect } from 'react';
import { hasCode } from '../../registryClient.js';
import { useIsSessionOver } from '../../session.js';
import { type Loaded, useLoaded } from '../../ui/QueryView.js';

export function useAuthedQuery<T>(load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useLoaded(load);
  const isOver = useIsSessionOver();
  const { error, reload } = loaded;
  const wasRefused = hasCode(error, 'UNAUTHORIZED');
  useEffect(() => {
    if (wasRefused && !isOver) reload();
  }, [wasRefused, isOver, reload]);
  return loaded;
}
