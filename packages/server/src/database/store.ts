// Everything that is kept, and transactions over it.

import type { Store } from '../registry/ports.js';
import { type ApiKeyUses, apiKeyQueries } from './apiKeys.js';
import { artifactQueries, draftQueries } from './artifacts.js';
import type { Database } from './connection.js';
import { counterQueries } from './counters.js';
import { markQueries } from './marks.js';
import { organizationQueries } from './organizations.js';
import { tryAgain } from './retries.js';
import { userQueries } from './users.js';

export function createStore(database: Database, uses: ApiKeyUses): Store {
  return {
    users: userQueries(database),
    organizations: organizationQueries(database),
    marks: markQueries(database),
    apiKeys: apiKeyQueries(database, uses),
    counters: counterQueries(database),
    artifacts: artifactQueries(database),
    drafts: draftQueries(database),
    transaction: (work) =>
      tryAgain(() => database.transaction().execute((transaction) => work(createStore(transaction, uses)))),
  };
}
