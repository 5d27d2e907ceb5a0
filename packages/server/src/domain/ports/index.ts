// Everything that the domain needs from outside, named by role. The other modules implement these interfaces.

import type { ArtifactStatus, Mark, TierTable } from '@provenance-registry/core';
import type { Certificates } from './certificates.js';
import type { Chain } from './chain.js';
import type { ClaimEvidenceChecker } from './claimEvidence.js';
import type { EventOrder, FeedChanges } from './feed.js';
import type { Embedder, FileStore, ManifestInspector, Manifests, Media } from './files.js';
import type { CommonPasswords, Passwords, Tokens } from './identity.js';
import type { ImageIndex, SoundIndex } from './lookalikes.js';
import type { LinkTokens, Mail } from './mail.js';
import type { Totp } from './secondFactors.js';
import type { Store } from './store.js';
import type { Tracer } from './tracing.js';
import type { WebhookSecrets, WebhookTargets } from './webhooks.js';

export * from './accountRecords.js';
export * from './apiKeys.js';
export * from './artifactLists.js';
export * from './audit.js';
export * from './bulkLookups.js';
export * from './certificates.js';
export * from './chain.js';
export * from './chainMirror.js';
export * from './claimEvidence.js';
export * from './claims.js';
export * from './domains.js';
export * from './downloads.js';
export * from './events.js';
export * from './feed.js';
export * from './files.js';
export * from './identity.js';
export * from './invitations.js';
export * from './lookalikes.js';
export * from './lookups.js';
export * from './mail.js';
export * from './markPreferences.js';
export * from './secondFactors.js';
export * from './sessions.js';
export * from './sitemap.js';
export * from './store.js';
export * from './tracing.js';
export * from './webhooks.js';

export interface Ports {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly commonPasswords: CommonPasswords;
  readonly totp: Totp;
  readonly tokens: Tokens;
  readonly linkTokens: LinkTokens;
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
  readonly eventOrder: EventOrder;
  readonly tracer: Tracer;
  /** Without a trailing slash. */
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

export interface StatusChanges {
  /** Resolves when the Artifact's status is no longer this one, or after `waitMs`. */
  waitForChange(artifactId: string, status: ArtifactStatus, waitMs: number): Promise<void>;
}
