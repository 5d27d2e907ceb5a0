// The store: every table's queries, and transactions over them.

import type { Store } from '../domain/ports/index.js';
import type { Database } from './connection.js';
import { accountRecordQueries } from './queries/accounts/accountRecords.js';
import { mailQueries } from './queries/accounts/mails.js';
import { oneTimeTokenQueries } from './queries/accounts/oneTimeTokens.js';
import { secondFactorQueries } from './queries/accounts/secondFactors.js';
import { sessionQueries } from './queries/accounts/sessions.js';
import { userQueries } from './queries/accounts/users.js';
import { createArtifactRecorder } from './queries/artifacts/artifactRecorder.js';
import { artifactQueries } from './queries/artifacts/artifacts.js';
import { counterQueries } from './queries/artifacts/counters.js';
import { draftQueries } from './queries/artifacts/drafts.js';
import { idempotencyRecordQueries } from './queries/artifacts/idempotencyRecords.js';
import { claimQueries } from './queries/claims/claims.js';
import { eventQueries } from './queries/events/events.js';
import { feedQueries } from './queries/events/feed.js';
import { webhookQueries } from './queries/events/webhooks.js';
import { bulkLookupQueries } from './queries/lookups/bulkLookups.js';
import { mirrorStore } from './queries/lookups/chainMirror.js';
import { downloadQueries } from './queries/lookups/downloads.js';
import { imageCodeQueries } from './queries/lookups/imageCodes.js';
import { lookupQueries } from './queries/lookups/lookups.js';
import { soundCodeQueries } from './queries/lookups/soundCodes.js';
import { markDomainQueries } from './queries/marks/markDomains.js';
import { markPreferenceQueries } from './queries/marks/markPreferences.js';
import { markQueries } from './queries/marks/marks.js';
import { sitemapQueries } from './queries/marks/sitemap.js';
import { apiKeyQueries } from './queries/organizations/apiKeys.js';
import { invitationQueries } from './queries/organizations/invitations.js';
import { organizationQueries } from './queries/organizations/organizations.js';
import { retryConflicts } from './retries.js';
import { type UseBuffers, withoutFlush } from './useBuffer.js';

export function createStore(database: Database, uses: UseBuffers): Store {
  const recorder = createArtifactRecorder(database);
  return {
    users: userQueries(database),
    sessions: sessionQueries(database, uses.sessions),
    organizations: organizationQueries(database),
    marks: markQueries(database),
    markDomains: markDomainQueries(database),
    markPreferences: markPreferenceQueries(database),
    apiKeys: apiKeyQueries(database, uses.apiKeys),
    counters: counterQueries(database),
    artifacts: artifactQueries(database, recorder),
    lookups: lookupQueries(database),
    drafts: draftQueries(database, recorder),
    idempotencyRecords: idempotencyRecordQueries(database),
    events: eventQueries(database),
    feed: feedQueries(database),
    webhooks: webhookQueries(database),
    secondFactors: secondFactorQueries(database),
    accountRecords: accountRecordQueries(database),
    mails: mailQueries(database),
    oneTimeTokens: oneTimeTokenQueries(database),
    invitations: invitationQueries(database),
    claims: claimQueries(database),
    downloads: downloadQueries(database),
    chainMirror: mirrorStore(database),
    bulkLookups: bulkLookupQueries(database),
    imageCodes: imageCodeQueries(database),
    soundCodes: soundCodeQueries(database),
    sitemap: sitemapQueries(database),
    transaction: (work) =>
      retryConflicts(() =>
        database.transaction().execute((transaction) => work(createStore(transaction, withoutFlush(uses)))),
      ),
  };
}
