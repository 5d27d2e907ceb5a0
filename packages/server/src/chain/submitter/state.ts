// What the parts of the submitter share: its options, and what it remembers between steps. Everything that must survive
// a restart is in the database or on the chain.

import type { Head, JsonRpcClient } from '@provenance-registry/chain-client';
import type { PrivateKeyAccount } from 'viem/accounts';
import type {
  AnchoredLog,
  ChainOutbox,
  ChainSender,
  ChainTracer,
  Hex,
  Lease,
  LogAnchors,
} from '../../domain/ports/index.js';
import type { WorkNotices } from '../../jobs/workNotices.js';

export interface SubmitterOptions {
  readonly queue: ChainOutbox;
  readonly node: JsonRpcClient;
  readonly chainId: number;
  readonly registry: Hex;
  readonly account: PrivateKeyAccount;
  readonly confirmations: number;
  /** Keys the pseudonyms of users under private Marks. */
  readonly pseudonymSecret: string;
  /** A registration fails after this many attempts, but not before this much time. */
  readonly retry: { readonly attempts: number; readonly ms: number };
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
  readonly tracer?: ChainTracer;
  /** Undefined: the public log is not anchored. */
  readonly anchoring?: LogAnchoring | undefined;
  readonly notices?: WorkNotices;
  readonly times?: Partial<SubmitterTimes>;
}

export interface LogAnchoring {
  /** In lower case. */
  readonly contract: Hex;
  readonly log: AnchoredLog;
  readonly records: LogAnchors;
  /** Between two anchors. */
  readonly intervalMs: number;
}

export interface SubmitterTimes {
  /** Between two reads of the outbox; longer while there are no notices. */
  readonly idleMs: number;
  /** Between two checks of pending transactions. */
  readonly followMs: number;
  /** Between two partial batches: under load, batches fill up in this time. */
  readonly gatherMs: number;
  /** Between two checks for reorganizations when there is nothing else to do. */
  readonly watchMs: number;
  /** An unmined transaction is sent again after this time, */
  readonly resendMs: number;
  /** and replaced after this: several blocks on most chains. */
  readonly stuckMs: number;
  /** A transaction without receipt is given up when its nonce has been used for this long. */
  readonly lostMs: number;
  /** Another process takes over after this much silence. */
  readonly leaseMs: number;
}

export const defaultTimes: SubmitterTimes = {
  idleMs: 500,
  followMs: 1_000,
  gatherMs: 1_000,
  watchMs: 5_000,
  resendMs: 10_000,
  stuckMs: 45_000,
  lostMs: 10_000,
  leaseMs: 15_000,
};

/** More would not make each registration cheaper, and this many fit well into a transaction of 2^24 gas. */
export const MAX_BATCH_SIZE = 200;

export type TransactionOutcome = 'confirmed' | 'reverted' | 'replaced' | 'lost' | 'reorganised';

/** The options, with addresses in lower case, and the state. */
export interface SubmitterContext extends Omit<SubmitterOptions, 'times' | 'confirmations'> {
  readonly notices: WorkNotices;
  readonly times: SubmitterTimes;
  readonly confirmations: bigint;
  readonly sender: ChainSender;
  readonly lease: Lease;
  readonly state: SubmitterState;
}

/** Times are milliseconds of the monotonic clock. */
export class SubmitterState {
  /** Transactions since the start, by outcome. */
  readonly outcomes: Record<TransactionOutcome, number> = {
    confirmed: 0,
    reverted: 0,
    replaced: 0,
    lost: 0,
    reorganised: 0,
  };
  readonly #nonces = new Map<number, NonceState>();

  leaseRenewedAt = Number.NEGATIVE_INFINITY;
  /** The time from which on another process may have the lease. */
  leaseExpiresAt = Number.NEGATIVE_INFINITY;
  reorgsCheckedAt = Number.NEGATIVE_INFINITY;
  balanceReadAt = Number.NEGATIVE_INFINITY;
  balanceWei: bigint | undefined;
  isBalanceLow = false;
  /** The node rejected the last transaction for lack of funds. */
  isOutOfFunds = false;

  /** Below the maximum while a registration that the contract refuses is being isolated. */
  batchSize = MAX_BATCH_SIZE;
  /** No partial batch is sent before this. */
  partialBatchAfter = Number.NEGATIVE_INFINITY;
  /** New registrations cause no step before this: they could not be sent. */
  newWorkAfter = Number.NEGATIVE_INFINITY;
  gasEstimate: GasEstimate | undefined;
  #gasUsed = 0n;
  #registrations = 0n;

  nonce(nonce: number): NonceState {
    const known = this.#nonces.get(nonce) ?? {};
    this.#nonces.set(nonce, known);
    return known;
  }

  forgetNonce(nonce: number): void {
    this.#nonces.delete(nonce);
  }

  /** Another process has the lease: what this one knows of the key's balance is out of date. */
  forgetLease(): void {
    this.leaseExpiresAt = Number.NEGATIVE_INFINITY;
    this.balanceReadAt = Number.NEGATIVE_INFINITY;
    this.balanceWei = undefined;
    this.isBalanceLow = false;
    this.isOutOfFunds = false;
  }

  countGas(gasUsed: bigint, registrations: number): void {
    this.#gasUsed += gasUsed;
    this.#registrations += BigInt(registrations);
  }

  /** Undefined until this process has registered something. */
  gasPerRegistration(): number | undefined {
    return this.#registrations === 0n ? undefined : Number(this.#gasUsed / this.#registrations);
  }
}

export interface NonceState {
  sentAt?: number;
  newestAttemptSince?: number;
  wasMined?: boolean;
  /** Since when the nonce is used and no receipt is found. */
  missingSince?: number;
}

export interface GasEstimate {
  readonly gasPerRegistration: bigint;
  readonly madeAt: number;
  /** The number of reverted transactions then: a new one makes the estimate doubtful. */
  readonly revertedBefore: number;
}

/** The highest block with enough confirmations. */
export function confirmedBlock({ confirmations }: SubmitterContext, head: Head): bigint {
  return head.number < confirmations ? 0n : head.number - confirmations + 1n;
}
