// What the registration queue needs from outside, and what it tells.

import type { HashOptions, HashResult } from '@provenance-registry/client';
import type { CopyStorage } from './copyStorage.js';
import type { HashedRow, QueueOptions, QueueRow, RowState } from './queueRow.js';
import type { ComparisonProgress, ComputeCodes, FindSimilar } from './rowCodes.js';
import type { CreateCopy } from './rowCopies.js';

/** Why a running queue does nothing. */
export type StopReason = 'login' | 'network' | { readonly limitedMarkId: string };

export type HashFile = (file: Blob, options: HashOptions) => Promise<HashResult>;
/** The new state of a row, with its signed copy if there is one, or why no row can be sent now. */
export type SendResult =
  | ({ readonly state: RowState; readonly copy?: Blob } & Partial<
      Pick<QueueRow, 'note' | 'isSignedCopy' | 'copyNote' | 'similar'>
    >)
  | { readonly stopReason: StopReason };

export interface QueuePorts {
  readonly hash: HashFile;
  /** Uploads the file if it is given; otherwise sends the fingerprint alone. */
  readonly send: (row: HashedRow, file: File | undefined) => Promise<SendResult>;
  readonly createCopy: CreateCopy;
  readonly copies: CopyStorage;
  readonly computeCodes: ComputeCodes;
  readonly findSimilar: FindSimilar;
  /** Why a file could not be hashed, as a sentence. */
  readonly describeHashError: (error: unknown) => string;
  readonly createKey: () => string;
  /** Runs the callback before the next paint. */
  readonly scheduleUpdate: (update: () => void) => void;
  /** Called on every change that should be saved. */
  readonly onChange: () => void;
}

export interface QueueSummary {
  readonly rows: readonly QueueRow[];
  readonly counts: Readonly<Record<RowState, number>>;
  readonly isRunning: boolean;
  readonly stopReason: StopReason | undefined;
  /** Options of files that are added from now on. */
  readonly options: QueueOptions;
  /** Progress of the perceptual hashes of files that are not registered yet. */
  readonly comparison: ComparisonProgress;
}

export interface AddResult {
  readonly added: number;
  readonly alreadyListed: number;
  readonly withoutRoom: number;
}

export const noRows: Readonly<Record<RowState, number>> = {
  waiting: 0,
  hashing: 0,
  sending: 0,
  pending: 0,
  submitting: 0,
  submitted: 0,
  failed: 0,
  yours: 0,
  others: 0,
  missing: 0,
};
