// Everything that the domain needs from outside, named by role. The other modules implement these interfaces.

import type { ArtifactStatus, Mark, TierTable } from '@provenance-registry/core';
import type { CommonPasswords, Passwords, Tokens } from './accounts/identity.js';
import type { LinkTokens, Mail, RecipientTokens } from './accounts/mail.js';
import type { Totp } from './accounts/secondFactors.js';
import type { Chain } from './artifacts/chain.js';
import type { Embedder, FileStore, ManifestInspector, Manifests, Media } from './artifacts/files.js';
import type { Certificates } from './artifacts/pdfCertificates.js';
import type { ClaimEvidenceChecker } from './claims/claimEvidence.js';
import type { FeedChanges } from './events/feed.js';
import type { WebhookSecrets, WebhookTargets } from './events/webhooks.js';
import type { PublicLog } from './log/logRecords.js';
import type { ImageIndex, SoundIndex } from './lookups/lookalikes.js';
import type { DomainTokens } from './marks/markDomains.js';
import type { Store } from './store.js';
import type { Tracer } from './tracing.js';
import type { WorkAnnouncer } from './work.js';

export * from './accounts/accountRecords.js';
export * from './accounts/dailyBudgets.js';
export * from './accounts/identity.js';
export * from './accounts/mail.js';
export * from './accounts/secondFactors.js';
export * from './accounts/sessions.js';
export * from './artifacts/artifactLists.js';
export * from './artifacts/chain.js';
export * from './artifacts/files.js';
export * from './artifacts/pdfCertificates.js';
export * from './audit.js';
export * from './claims/claimEvidence.js';
export * from './claims/claims.js';
export * from './events/events.js';
export * from './events/feed.js';
export * from './events/webhooks.js';
export * from './log/anchors.js';
export * from './log/logFiles.js';
export * from './log/logRecords.js';
export * from './log/sequence.js';
export * from './lookups/bulkLookups.js';
export * from './lookups/chainMirror.js';
export * from './lookups/downloads.js';
export * from './lookups/lookalikes.js';
export * from './lookups/lookups.js';
export * from './marks/markDomains.js';
export * from './marks/markPreferences.js';
export * from './marks/sitemap.js';
export * from './organizations/apiKeys.js';
export * from './organizations/grants.js';
export * from './organizations/invitations.js';
export * from './recovery.js';
export * from './store.js';
export * from './tracing.js';
export * from './work.js';

export interface Ports {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly commonPasswords: CommonPasswords;
  readonly totp: Totp;
  readonly tokens: Tokens;
  readonly linkTokens: LinkTokens;
  readonly recipientTokens: RecipientTokens;
  readonly domainTokens: DomainTokens;
  readonly webhookSecrets: WebhookSecrets;
  readonly webhookTargets: WebhookTargets;
  readonly mail: Mail;
  readonly clock: Clock;
  readonly tiers: TierTable;
  readonly billing: 'self-serve' | 'operator';
  readonly markListCache: MarkListCache;
  readonly files: FileStore;
  readonly manifests: Manifests;
  readonly embedder: Embedder;
  readonly manifestInspector: ManifestInspector;
  readonly media: Media;
  readonly imageIndex: ImageIndex;
  readonly soundIndex: SoundIndex;
  readonly chain: Chain;
  readonly claimEvidence: ClaimEvidenceChecker;
  readonly certificates: Certificates;
  readonly statusChanges: StatusChanges;
  readonly feedChanges: FeedChanges;
  readonly work: WorkAnnouncer;
  readonly log: PublicLog;
  readonly tracer: Tracer;
  /** The public URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly cdnUrl: string;
}

export type Clock = () => Date;

/** Each user's list of writable Marks, kept for a short time. */
export interface MarkListCache {
  list(userId: string): Promise<Mark[]>;
  /** Called after every write of this user, so that users see their own changes. */
  invalidate(userId: string): void;
}

/** How long a client is willing to wait, and how a rule does so. */
export interface WaitOptions {
  readonly waitMs: number;
  /** Other requests have the turn of this one meanwhile. */
  readonly giveWay: (wait: () => Promise<void>) => Promise<void>;
}

export interface StatusChanges {
  /** Resolves when the Artifact's status is no longer this one, or after `waitMs`. */
  waitForChange(artifactId: string, status: ArtifactStatus, waitMs: number): Promise<void>;
}
