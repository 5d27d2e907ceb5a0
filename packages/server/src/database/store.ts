// Everything that is kept, and transactions over it.

import { RegistryError } from '@provenance-registry/core';
import pg from 'pg';
import type { Store } from '../registry/ports.js';
import { type ApiKeyUses, apiKeyQueries } from './apiKeys.js';
import { artifactQueries, draftQueries } from './artifacts.js';
import type { Database } from './connection.js';
import { counterQueries } from './counters.js';
import { markQueries } from './marks.js';
import { organizationQueries } from './organizations.js';
import { userQueries } from './users.js';

/** Two transactions that wait for each other are rare, and settled by trying one of them again. */
const MAX_ATTEMPTS = 5;
/** Serialization failure and deadlock: nothing has happened, and the same may work now. */
const WORTH_ANOTHER_TRY = new Set(['40001', '40P01']);

export function createStore(database: Database, uses: ApiKeyUses): Store {
  return {
    users: userQueries(database),
    organizations: organizationQueries(database),
    marks: markQueries(database),
    apiKeys: apiKeyQueries(database, uses),
    counters: counterQueries(database),
    artifacts: artifactQueries(database),
    drafts: draftQueries(database),
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await database.transaction().execute((transaction) => work(createStore(transaction, uses)));
        } catch (error) {
          const again = error instanceof pg.DatabaseError && WORTH_ANOTHER_TRY.has(error.code ?? '');
          if (!again) throw error;
          if (attempt === MAX_ATTEMPTS) {
            throw new RegistryError('UNAVAILABLE', 'Too many changes at once to the same thing.', { cause: error });
          }
        }
      }
    },
  };
}
