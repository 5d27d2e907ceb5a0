// What became of the files: counted, and kept where somebody has to be told.

import type { ArtifactStatus, Fingerprint } from '@provenance-registry/core';

/**
 * `registered`: by this run. `new`: it would be, in a dry run. `yours`: it was already, under a Mark of yours. `others`:
 * it was, under somebody else's. `refused`: the service said no. `failed`: it could not be found out.
 */
export const outcomes = ['registered', 'new', 'yours', 'others', 'refused', 'failed', 'skipped'] as const;
export type Outcome = (typeof outcomes)[number];

export interface FileResult {
  readonly path: string;
  readonly outcome: Outcome;
  readonly fingerprint?: Fingerprint | undefined;
  readonly artifactId?: string | undefined;
  readonly status?: ArtifactStatus | undefined;
  /** The Mark, when it is not the one that was asked for. */
  readonly mark?: string | undefined;
  readonly reason?: string | undefined;
}

export class Tally {
  readonly counts: Record<Outcome, number> = {
    registered: 0,
    new: 0,
    yours: 0,
    others: 0,
    refused: 0,
    failed: 0,
    skipped: 0,
  };
  /** Not done, because the run ended before. */
  left = 0;
  /** Files that were read, and files that the journal knew. */
  hashed = 0;
  fromJournal = 0;
  /** Requests to register, each counted once however often it was tried. */
  sent = 0;
  /** Of files that are hashed, or need not be. */
  bytes = 0;
  /** Of all that is there, once somebody has counted. */
  total: { readonly files: number; readonly bytes: number } | undefined;
  readonly kept: FileResult[] = [];

  constructor(
    private readonly keeps: (result: FileResult) => boolean,
    private readonly onChange: (result?: FileResult) => void,
  ) {}

  /** Files that have come to their end. */
  get done(): number {
    const { skipped: _, ...ended } = this.counts;
    return Object.values(ended).reduce((sum, count) => sum + count, 0);
  }

  add(result: FileResult): void {
    this.counts[result.outcome] += 1;
    if (this.keeps(result)) this.kept.push(result);
    this.onChange(result);
  }

  addBytes(bytes: number): void {
    this.bytes += bytes;
    this.onChange();
  }
}
