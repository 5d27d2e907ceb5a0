// The store: every table's queries, and transactions over them.

import type { Store } from '../domain/ports/index.js';
import type { Database } from './connection.js';
import { accountRecordQueries } from './queries/accountRecords.js';
import { apiKeyQueries } from './queries/apiKeys.js';
import { createArtifactRecorder } from './queries/artifactRecorder.js';
import { artifactQueries } from './queries/artifacts.js';
import { bulkLookupQueries } from './queries/bulkLookups.js';
import { mirrorStore } from './queries/chainMirror.js';
import { claimQueries } from './queries/claims.js';
import { counterQueries } from './queries/counters.js';
import { downloadQueries } from './queries/downloads.js';
import { draftQueries } from './queries/drafts.js';
import { eventQueries } from './queries/events.js';
import { feedQueries } from './queries/feed.js';
import { idempotencyRecordQueries } from './queries/idempotencyRecords.js';
import { imageCodeQueries } from './queries/imageCodes.js';
import { invitationQueries } from './queries/invitations.js';
import { lookupQueries } from './queries/lookups.js';
import { mailQueries } from './queries/mails.js';
import { markDomainQueries } from './queries/markDomains.js';
import { markPreferenceQueries } from './queries/markPreferences.js';
import { markQueries } from './queries/marks.js';
import { oneTimeTokenQueries } from './queries/oneTimeTokens.js';
import { organizationQueries } from './queries/organizations.js';
import { secondFactorQueries } from './queries/secondFactors.js';
import { sessionQueries } from './queries/sessions.js';
import { sitemapQueries } from './queries/sitemap.js';
import { soundCodeQueries } from './queries/soundCodes.js';
import { userQueries } from './queries/users.js';
import { webhookQueries } from './queries/webhooks.js';
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
