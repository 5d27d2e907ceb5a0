// Everything that is kept, and transactions over it.

import type { Store } from '../domain/ports/index.js';
import type { Database } from './connection.js';
import { type ApiKeyUses, apiKeyQueries } from './queries/apiKeys.js';
import { artifactQueries, draftQueries } from './queries/artifacts.js';
import { counterQueries } from './queries/counters.js';
import { markQueries } from './queries/marks.js';
import { organizationQueries } from './queries/organizations.js';
import { userQueries } from './queries/users.js';
import { tryAgain } from './retries.js';

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
