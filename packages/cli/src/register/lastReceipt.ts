// Waits at the end of a run until the public log has what the run registered.

import type { RegistryClient } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import type { Registration } from '../outputSchemas/files.js';

/** The log takes in a registration within a second. */
const WAIT_SECONDS = 4;
/** With the connections and retries of a service that is hardly available. */
const MAX_WAIT_MS = 5_000;

/** `pending` too if it could not be found out: nothing depends on it but when to read the receipt. */
export async function awaitLastReceipt(
  client: Pick<RegistryClient, 'getReceipt'>,
  fingerprint: Fingerprint,
  signal: AbortSignal,
): Promise<NonNullable<Registration['log']>> {
  const untilEnd = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  try {
    await client.getReceipt({ fingerprint, wait: WAIT_SECONDS }, { signal: untilEnd });
    return { fingerprint, status: 'included' };
  } catch {
    return { fingerprint, status: 'pending' };
  }
}
