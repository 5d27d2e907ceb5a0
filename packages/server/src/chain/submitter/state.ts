// What the parts of the submitter share: what it was given, and what it remembers. All that must not be forgotten is in
// the database or on the chain; what is remembered here only says when to look again.

import type { Head, JsonRpcClient } from '@provenance-registry/chain-client';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { ChainSender, Hex, Lease, RegistrationQueue } from '../../domain/ports/index.js';

export interface SubmitterOptions {
  readonly queue: RegistrationQueue;
  readonly node: JsonRpcClient;
  readonly chainId: number;
  readonly registry: Hex;
  readonly account: PrivateKeyAccount;
  readonly confirmations: number;
  /** A registration fails after so many refusals, but not before so much time. */
  readonly retry: { readonly attempts: number; readonly ms: number };
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
  readonly times?: Partial<SubmitterTimes>;
}

export interface SubmitterTimes {
  /** Between two looks at the outbox. */
  readonly idleMs: number;
  /** Between two looks at transactions that are under way. */
  readonly followMs: number;
  /** Between two batches that are not full: while many come, they fill. */
  readonly gatherMs: number;
  /** Between two looks at the chain when there is nothing to do but to watch for reorganisations. */
  readonly watchMs: number;
  /** An unmined transaction is sent again after this time, */
  readonly resendMs: number;
  /** and replaced after this: several blocks on most chains. */
  readonly stuckMs: number;
  /** A nonce that is used must stay so for this long, and no receipt be found, before its transaction is given up. */
  readonly lostMs: number;
  /** The time that a process may be silent before another takes over. */
  readonly leaseMs: number;
}

export const usualTimes: SubmitterTimes = {
  idleMs: 500,
  followMs: 1_000,
  gatherMs: 1_000,
  watchMs: 5_000,
  resendMs: 10_000,
  stuckMs: 45_000,
  lostMs: 10_000,
  leaseMs: 15_000,
};

export type TransactionOutcome = 'confirmed' | 'reverted' | 'replaced' | 'lost' | 'reorganised';

/** About a nonce. Times are of the clock that never jumps. */
export interface Notes {
  sentAt?: number;
  /** Since when its newest attempt has been the newest. */
  newestSince?: number;
  wasMined?: boolean;
  lostSince?: number;
}

/** Addresses are in lower case. */
export interface Submission extends Omit<SubmitterOptions, 'times' | 'confirmations'> {
  readonly times: SubmitterTimes;
  readonly confirmations: bigint;
  readonly sender: ChainSender;
  readonly lease: Lease;
  readonly outcomes: Record<TransactionOutcome, number>;
  readonly notes: NonceTracker;
}

export class NonceTracker {
  readonly #notes = new Map<number, Notes>();

  of(nonce: number): Notes {
    const note = this.#notes.get(nonce) ?? {};
    this.#notes.set(nonce, note);
    return note;
  }

  forget(nonce: number): void {
    this.#notes.delete(nonce);
  }
}

/** The highest block that counts as deep enough. */
export function deepBlock({ confirmations }: Submission, head: Head): bigint {
  return head.number < confirmations ? 0n : head.number - confirmations + 1n;
}
