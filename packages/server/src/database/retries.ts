// Retries transactions that PostgreSQL rolled back because of a conflict with another one.

import { RegistryError } from '@provenance-registry/core';
import pg from 'pg';

/** Conflicts are rare, and one retry usually settles them. */
const MAX_ATTEMPTS = 5;
/** Serialization failure and deadlock: nothing was changed, and the same statements may succeed now. */
const RETRYABLE_CODES = new Set(['40001', '40P01']);

export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isRetryable = error instanceof pg.DatabaseError && RETRYABLE_CODES.has(error.code ?? '');
      if (!isRetryable) throw error;
      if (attempt === MAX_ATTEMPTS) {
        throw new RegistryError('UNAVAILABLE', 'Too many concurrent changes to the same data.', { cause: error });
      }
    }
  }
}
