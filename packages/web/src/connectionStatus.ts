// Whether the service answers, as far as the last request showed.

import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let isInterrupted = false;

function tell(state: boolean): void {
  if (state === isInterrupted) return;
  isInterrupted = state;
  for (const listener of listeners) listener();
}

/** `fetch`, which notices on its way whether the service answers. */
export const watchedFetch: typeof fetch = async (...request) => {
  try {
    const response = await fetch(...request);
    tell(response.status >= 500);
    return response;
  } catch (error) {
    // Whoever stops a request has learnt nothing about the network.
    if (!request[1]?.signal?.aborted) tell(true);
    throw error;
  }
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useIsInterrupted(): boolean {
  return useSyncExternalStore(subscribe, () => isInterrupted);
}
