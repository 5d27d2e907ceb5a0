// Requests that wait for a change.

/** The longest wait: below the one-minute timeout of common proxies. */
export const MAX_WAIT_SECONDS = 50;
