// Counts the results of a run, and retains those that the report needs.

import type { Artifact, ArtifactStatus, Fingerprint } from '@provenance-registry/core';

/**
 * `registered`: by this run. `new`: would be registered (dry run). `yours`: already registered under one of the caller's
 * Marks. `others`: registered under another user's Mark. `refused`: by the service or the chain. `failed`: unknown, because
 * the file could not be read or the service did not respond. `skipped`: not a file.
 */
export const fileOutcomes = ['registered', 'new', 'yours', 'others', 'refused', 'failed', 'skipped'] as const;
export type FileOutcome = (typeof fileOutcomes)[number];

/** What is known about a fingerprint in the registry. */
export interface FingerprintResult {
  readonly outcome: FileOutcome;
  readonly artifactId?: string | undefined;
  readonly status?: ArtifactStatus | undefined;
  /** The Mark, if it is not the requested one. */
  readonly mark?: string | undefined;
  readonly reason?: string | undefined;
  /** Older files of other Marks that look like it. */
  readonly similarTo?: Artifact['similarTo'];
}

export interface FileResult extends FingerprintResult {
  readonly path: string;
  readonly fingerprint?: Fingerprint | undefined;
}

export function hasLookalikes({ similarTo }: FingerprintResult): boolean {
  return similarTo !== undefined && similarTo.length > 0;
}

export class RunStats {
  readonly counts = { registered: 0, new: 0, yours: 0, others: 0, refused: 0, failed: 0, skipped: 0 };
  /** Files without a result, because the run stopped early. */
  remaining = 0;
  hashed = 0;
  /** Files whose fingerprint was in the journal. */
  fromJournal = 0;
  /** Registration requests; retries of the same request are not counted. */
  sent = 0;
  /** Files that are sent with codes. */
  withCodes = 0;
  /** Files that look like older ones of other Marks. */
  similar = 0;
  /** Size of the files that are hashed or in the journal. */
  bytes = 0;
  /** Undefined until all files have been counted. */
  total: { readonly files: number; readonly bytes: number } | undefined;
  readonly retained: FileResult[] = [];

  constructor(
    private readonly isRetained: (result: FileResult) => boolean,
    private readonly onChange: (result?: FileResult) => void,
  ) {}

  get done(): number {
    const { skipped: _, ...outcomes } = this.counts;
    return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  }

  addResult(result: FileResult): void {
    this.counts[result.outcome] += 1;
    if (hasLookalikes(result)) this.similar += 1;
    if (this.isRetained(result)) this.retained.push(result);
    this.onChange(result);
  }

  addBytes(bytes: number): void {
    this.bytes += bytes;
    this.onChange();
  }
}
