// The store: every table's queries, and transactions over them.

import type { Store } from '../domain/ports/index.js';
import type { Database } from './connection.js';
import { AccountRecordQueries } from './queries/accounts/accountRecords.js';
import { DailyBudgetQueries } from './queries/accounts/dailyBudgets.js';
import { MailRecipientQueries } from './queries/accounts/mailRecipients.js';
import { MailQueries } from './queries/accounts/mails.js';
import { OneTimeTokenQueries } from './queries/accounts/oneTimeTokens.js';
import { SecondFactorQueries } from './queries/accounts/secondFactors.js';
import { SessionQueries } from './queries/accounts/sessions.js';
import { UserQueries } from './queries/accounts/users.js';
import { ArtifactRecorder } from './queries/artifacts/artifactRecorder.js';
import { ArtifactQueries } from './queries/artifacts/artifacts.js';
import { CounterQueries } from './queries/artifacts/counters.js';
import { DraftQueries } from './queries/artifacts/drafts.js';
import { IdempotencyRecordQueries } from './queries/artifacts/idempotencyRecords.js';
import { ClaimQueries } from './queries/claims/claims.js';
import { EventQueries } from './queries/events/events.js';
import { FeedQueries } from './queries/events/feed.js';
import { WebhookQueries } from './queries/events/webhooks.js';
import { LogEntryQueries } from './queries/log/logEntries.js';
import { BulkLookupQueries } from './queries/lookups/bulkLookups.js';
import { ChainMirrorQueries } from './queries/lookups/chainMirror.js';
import { DownloadQueries } from './queries/lookups/downloads.js';
import { ImageHashQueries } from './queries/lookups/imageHashes.js';
import { lookupQueries } from './queries/lookups/lookups.js';
import { SoundHashQueries } from './queries/lookups/soundHashes.js';
import { MarkDomainQueries } from './queries/marks/markDomains.js';
import { MarkPreferenceQueries } from './queries/marks/markPreferences.js';
import { MarkQueries } from './queries/marks/marks.js';
import { SitemapQueries } from './queries/marks/sitemap.js';
import { ApiKeyQueries } from './queries/organizations/apiKeys.js';
import { GrantQueries } from './queries/organizations/grants.js';
import { InvitationQueries } from './queries/organizations/invitations.js';
import { OrganizationQueries } from './queries/organizations/organizations.js';
import type { ReadReplica } from './readReplica.js';
import { retryConflicts } from './retries.js';
import { type UseBuffers, withoutFlush } from './useBuffer.js';

export function createStore(database: Database, uses: UseBuffers, replica?: ReadReplica): Store {
  // A draft that begins opens a slot here, so that the owner's next commit waits for its Artifact.
  const recorder = new ArtifactRecorder(database);
  return {
    users: new UserQueries(database),
    sessions: new SessionQueries(database, uses.sessions),
    organizations: new OrganizationQueries(database),
    marks: new MarkQueries(database),
    markDomains: new MarkDomainQueries(database),
    markPreferences: new MarkPreferenceQueries(database),
    apiKeys: new ApiKeyQueries(database, uses.apiKeys),
    counters: new CounterQueries(database),
    dailyBudgets: new DailyBudgetQueries(database),
    artifacts: new ArtifactQueries(database, recorder),
    lookups: lookupQueries(database, replica),
    drafts: new DraftQueries(database, recorder),
    idempotencyRecords: new IdempotencyRecordQueries(database),
    events: new EventQueries(database),
    feed: new FeedQueries(database),
    log: new LogEntryQueries(database),
    webhooks: new WebhookQueries(database),
    secondFactors: new SecondFactorQueries(database),
    accountRecords: new AccountRecordQueries(database),
    mails: new MailQueries(database),
    mailRecipients: new MailRecipientQueries(database),
    oneTimeTokens: new OneTimeTokenQueries(database),
    invitations: new InvitationQueries(database),
    grants: new GrantQueries(database),
    claims: new ClaimQueries(database),
    downloads: new DownloadQueries(database),
    chainMirror: new ChainMirrorQueries(database),
    bulkLookups: new BulkLookupQueries(database),
    imageHashes: new ImageHashQueries(database),
    soundHashes: new SoundHashQueries(database),
    sitemap: new SitemapQueries(database),
    transaction: (work) =>
      retryConflicts(() =>
        database.transaction().execute((transaction) => work(createStore(transaction, withoutFlush(uses)))),
      ),
  };
}
