// Ports for the domains that Marks claim: what the database keeps of them, and their checks.

export interface MarkDomains {
  insert(domain: { id: string; markId: string; domain: string; claimedBy: string }): Promise<void>;
  /** Those that have not ended, oldest first. */
  list(markId: string): Promise<StoredDomain[]>;
  /** Nothing else changes it until the transaction ends. Undefined when it has ended. */
  lock(id: string): Promise<StoredDomain | undefined>;
  /** Due now, but at most one check in `intervalMs`. */
  scheduleCheck(id: string, intervalMs: number): Promise<void>;
  recordCheck(id: string, check: RecordedCheck): Promise<void>;
  end(id: string, end: { at: Date; reason: DomainEnd; userId?: string }): Promise<void>;
  /** Other Marks that the domain is verified for now. */
  listOtherMarks(domain: string, markId: string): Promise<string[]>;
  /** Whether the domain was verified for the Mark in a period that has ended. */
  wasVerified(domain: string, markId: string): Promise<boolean>;
}

export type DomainMethod = 'dns' | 'file';
export type DomainEnd = 'removed' | 'lapsed' | 'expired';

export interface StoredDomain {
  readonly id: string;
  readonly markId: string;
  readonly domain: string;
  readonly claimedAt: Date;
  /** Method of the last check that succeeded. */
  readonly method: DomainMethod | null;
  /** The first check that succeeded. */
  readonly verifiedAt: Date | null;
  readonly lastSuccessAt: Date | null;
  /** The first check that failed after the last one that succeeded. */
  readonly failingSince: Date | null;
  readonly warnedAt: Date | null;
  readonly lastError: string | null;
  readonly nextCheckAt: Date;
}

/** What a check changes. */
export type RecordedCheck = Pick<
  StoredDomain,
  'method' | 'verifiedAt' | 'lastSuccessAt' | 'failingSince' | 'warnedAt' | 'lastError' | 'nextCheckAt'
>;

/** The worker's side: each domain is checked by one worker at a time. Times are those of the database. */
export interface DomainQueue {
  /** Domains that are due, which other workers leave alone for `leaseMs`. */
  leaseDue(limit: number, leaseMs: number): Promise<LeasedDomain[]>;
  readBacklog(): Promise<DomainBacklog>;
}

export type LeasedDomain = Pick<StoredDomain, 'id' | 'markId' | 'domain'>;

export interface DomainBacklog {
  /** Checks that are late. */
  readonly due: number;
  /** Verified domains whose last check failed. */
  readonly failing: number;
}

export interface DomainChecker {
  /** Asks the domain whether it names the Mark, by one of these texts. */
  check(domain: string, markTexts: readonly string[]): Promise<DomainCheckResult>;
}

/** What domains publish of private Marks: it tells others neither the Mark, nor that two domains have the same one. */
export interface DomainTokens {
  tokenOf(markId: string, domain: string): string;
}

/** `error` is shown to users with write access to the Mark. */
export type DomainCheckResult = { readonly method: DomainMethod } | { readonly error: string };
