// Work that two did at once, and that PostgreSQL undid for one of them.

import { RegistryError } from '@provenance-registry/core';
import pg from 'pg';

/** Two transactions that wait for each other are rare, and settled by trying one of them again. */
const MAX_ATTEMPTS = 5;
/** Serialization failure and deadlock: nothing has happened, and the same may work now. */
const WORTH_ANOTHER_TRY = new Set(['40001', '40P01']);

export async function tryAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof pg.DatabaseError && WORTH_ANOTHER_TRY.has(error.code ?? '');
      if (!again) throw error;
      if (attempt === MAX_ATTEMPTS) {
        throw new RegistryError('UNAVAILABLE', 'Too many changes at once to the same thing.', { cause: error });
      }
    }
  }
}
