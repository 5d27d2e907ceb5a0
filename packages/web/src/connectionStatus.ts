// Whether the service responded to the last request.

import { createStore, useStore } from './store.js';

const isUnreachable = createStore(false);

/** `fetch` that records whether the service responds. */
export const trackedFetch: typeof fetch = async (...request) => {
  try {
    const response = await fetch(...request);
    isUnreachable.set(response.status >= 500);
    return response;
  } catch (error) {
    // An aborted request says nothing about the connection.
    if (!request[1]?.signal?.aborted) isUnreachable.set(true);
    throw error;
  }
};

export function useIsServiceUnreachable(): boolean {
  return useStore(isUnreachable);
}
