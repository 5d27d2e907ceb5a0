// Counts the results of a run, and retains those that the report needs.

import type { Fingerprint } from '@provenance-registry/core';
import type { RegisteredFile } from '../outputSchemas/files.js';

/** Result of one file, as `--json` prints it. */
export type FileResult = RegisteredFile;
/** What is known about a fingerprint in the registry. */
export type FingerprintResult = Omit<FileResult, 'path' | 'fingerprint'>;

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
  /** The file that was registered last, in a registry that has a public log. */
  lastLogged: Fingerprint | undefined;
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
