// What a recovery reports: each registration that the database lacks, and what became of it.

import type {
  FileStore,
  Hex,
  RecordedManifests,
  RecoveryChain,
  RecoveryRecords,
  Registrants,
} from '../domain/ports/index.js';

export interface RecoveryParts {
  readonly records: RecoveryRecords;
  readonly chain: RecoveryChain;
  readonly files: FileStore;
  readonly manifests: RecordedManifests;
  readonly registrants: Registrants;
  readonly clock: () => Date;
}

/** docs/operating.md explains each. */
export type RecoveryOutcome =
  | 'recovered'
  | 'recoverable'
  | 'mark-lost'
  | 'creator-lost'
  | 'manifest-lost'
  | 'original-lost'
  | 'in-use'
  | 'only-in-download';

export interface RecoveryFinding {
  readonly outcome: RecoveryOutcome;
  readonly kind: 'artifact' | 'signed-copy' | 'fingerprint';
  readonly artifactId?: string;
  readonly fingerprint?: Hex;
  /** Where it was found. */
  readonly source: 'chain' | 'files' | 'download';
}

export interface RecoveryOptions {
  /** Lists without changing anything. */
  readonly isDryRun: boolean;
  /** Ends the recovery between two changes. */
  readonly signal?: AbortSignal;
  /** Awaited: output may be slower than the recovery. */
  readonly onFinding: (finding: RecoveryFinding) => Promise<void>;
  readonly onProgress: (summary: RecoverySummary) => void;
}

export interface RecoverySummary {
  /** What was compared with the database, by kind. */
  readonly walked: { entries: number; files: number; downloads: number };
  /** Findings by their outcomes. */
  readonly found: Partial<Record<RecoveryOutcome, number>>;
}
