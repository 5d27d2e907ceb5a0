// Registers Artifacts on chain, each exactly once, whatever fails on the way.
//
// A transaction is recorded before it is sent. From then on it is resent, and replaced by one with higher fees, until it
// is mined, or until something else has used its nonce for good. The state of the contract decides in the end.

import { randomUUID } from 'node:crypto';
import {
  type Head,
  nodeErrorMessage,
  readBalance,
  readHead,
  readTransactionCount,
} from '@provenance-registry/chain-client';
import type { ChainTransaction, ConfirmedTransaction, WaitingRegistration } from '../../domain/ports/index.js';
import { JobLoop } from '../../jobs/jobLoop.js';
import { noNotices } from '../../jobs/workNotices.js';
import { toLowerCase } from '../chainSource.js';
import { type AnchorReport, AnchorSubmitter } from './anchorSubmitter.js';
import { BatchSubmitter, freeNonces, MAX_PENDING_TRANSACTIONS } from './batchSubmitter.js';
import { currentFees } from './fees.js';
import { RegistrationOutcomes } from './registrationOutcomes.js';
import { ReorgWatcher } from './reorgWatcher.js';
import {
  defaultTimes,
  type SubmitterContext,
  type SubmitterOptions,
  SubmitterState,
  type TransactionOutcome,
} from './state.js';
import { TransactionSender } from './transactionSender.js';
import { TransactionTracker } from './transactionTracker.js';

export type { SubmitterOptions } from './state.js';

/** The part of the lease's time after which it is renewed. */
const LEASE_RENEWAL_FRACTION = 1 / 3;
/** The balance is low when it does not pay for this many registrations. */
const LOW_BALANCE_REGISTRATIONS = 1_000n;
const BALANCE_CHECK_MS = 60_000;
/** Gas of one registration in a full batch; used until this process has measured it. */
const TYPICAL_GAS_PER_REGISTRATION = 53_000;
/** After failures in a row, the pause is one, two, three, … times as long, up to this. */
const MAX_PAUSE_FACTOR = 10;
/** Most notices are of other work. */
const MIN_PAUSE_MS = 100;

export interface SubmitterReport {
  readonly holdsLease: boolean;
  readonly transactions: Readonly<Record<TransactionOutcome, number>>;
  /** Undefined until this process has registered something. */
  readonly gasPerRegistration: number | undefined;
  /** Undefined until it is known, and without the lease: another process spends it then. */
  readonly balance: bigint | undefined;
  readonly lowBalance: boolean | undefined;
  /** Undefined without the lease, and where the public log is not anchored. */
  readonly anchor: AnchorReport | undefined;
}

/** What the database has to do in a step. */
interface Work {
  readonly open: readonly ChainTransaction[];
  readonly confirmed: readonly ConfirmedTransaction[];
  readonly waiting: readonly WaitingRegistration[];
  readonly isAnchorDue: boolean;
}

export class Submitter {
  readonly #context: SubmitterContext;
  readonly #transactionTracker: TransactionTracker;
  readonly #batchSubmitter: BatchSubmitter;
  readonly #reorgWatcher: ReorgWatcher;
  readonly #anchorSubmitter: AnchorSubmitter | undefined;
  readonly #loop: JobLoop;
  readonly #unsubscribe: () => void;
  #newWorkTimer: NodeJS.Timeout | undefined;

  constructor(options: SubmitterOptions) {
    const context = createContext(options);
    this.#context = context;
    const registrationOutcomes = new RegistrationOutcomes(context);
    const transactionSender = new TransactionSender(context);
    this.#transactionTracker = new TransactionTracker(context, transactionSender, registrationOutcomes);
    this.#batchSubmitter = new BatchSubmitter(context, transactionSender, registrationOutcomes);
    this.#reorgWatcher = new ReorgWatcher(context);
    const { anchoring } = context;
    this.#anchorSubmitter = anchoring && new AnchorSubmitter(context, anchoring, transactionSender);
    const { times, state, log } = context;
    this.#loop = new JobLoop({
      step: () => this.#step(),
      describeReason: nodeErrorMessage,
      onFailure(_, { reason, count, isNew }) {
        state.leaseRenewedAt = Number.NEGATIVE_INFINITY;
        if (isNew) log('warn', { reason }, 'chain: a step failed and will be retried');
        return times.followMs * Math.min(count, MAX_PAUSE_FACTOR);
      },
      minPauseMs: MIN_PAUSE_MS,
    });
    this.#unsubscribe = context.notices.subscribe(() => this.wake());
  }

  /** Announces that a registration is waiting. */
  wake(): void {
    this.#newWorkTimer ??= setTimeout(
      () => {
        this.#newWorkTimer = undefined;
        this.#loop.wake();
      },
      Math.max(0, this.#context.state.newWorkAfter - performance.now()),
    );
  }

  report(): SubmitterReport {
    const { state } = this.#context;
    const holdsLease = performance.now() < state.leaseExpiresAt;
    const isBalanceKnown = holdsLease && state.balanceWei !== undefined;
    return {
      holdsLease,
      transactions: { ...state.outcomes },
      gasPerRegistration: state.gasPerRegistration(),
      balance: isBalanceKnown ? state.balanceWei : undefined,
      lowBalance: isBalanceKnown ? state.isBalanceLow || state.isOutOfFunds : undefined,
      anchor: holdsLease ? this.#anchorSubmitter?.report() : undefined,
    };
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    const { queue, lease } = this.#context;
    this.#unsubscribe();
    clearTimeout(this.#newWorkTimer);
    await this.#loop.stop();
    await queue.releaseLease(lease).catch(() => undefined);
  }

  /** Returns the time until the next step. */
  async #step(): Promise<number> {
    const { queue, sender, times, state, notices } = this.#context;
    if (!(await this.#holdLease())) return notices.pauseMs(times.followMs);
    if (performance.now() - state.balanceReadAt > BALANCE_CHECK_MS) await this.#checkBalance();
    const [open, confirmed, waiting] = await Promise.all([
      queue.listTransactions(sender),
      queue.listConfirmed(sender),
      queue.listWaiting(state.batchSize * MAX_PENDING_TRANSACTIONS),
    ]);
    const isAnchorDue = (await this.#anchorSubmitter?.isDue(open)) ?? false;
    const isIdle = open.length + waiting.length === 0 && !isAnchorDue;
    const pauseMs =
      isIdle && !this.#isReorgCheckDue(confirmed)
        ? notices.pauseMs(times.idleMs)
        : await this.#checkAndAdvance({ open, confirmed, waiting, isAnchorDue }, isIdle);
    return Math.min(pauseMs, this.#anchorSubmitter?.msUntilCheck ?? pauseMs);
  }

  async #checkAndAdvance(work: Work, isIdle: boolean): Promise<number> {
    const { confirmed } = work;
    const { node, sender, times, state, notices } = this.#context;
    const [head, nonce] = await Promise.all([
      readHead(node),
      isIdle ? 0 : readTransactionCount(node, sender.address, 'latest'),
    ]);
    // The node has lost blocks since it reported this head, or another node of a cluster is behind.
    const isNodeBehind = !isIdle && confirmed.some((transaction) => transaction.nonce >= nonce);
    if (await this.#reorgWatcher.check(confirmed, head, isNodeBehind)) return 0;
    state.reorgsCheckedAt = performance.now();
    // With a node that is behind, a new transaction would get a nonce that is recorded as used.
    if (isNodeBehind) return times.idleMs;
    if (isIdle) return notices.pauseMs(times.idleMs);
    return await this.#advance(work, head, nonce);
  }

  async #advance({ open, waiting, isAnchorDue }: Work, head: Head, nonce: number): Promise<number> {
    const { times, state, notices } = this.#context;
    const unmined = open.filter((transaction) => transaction.nonce >= nonce);
    // Before anything is sent: a node that executes a transaction responds late.
    const receipts = await this.#transactionTracker.fetchReceipts(open, head, nonce);
    const hasChanged = await waitForBoth(
      this.#transactionTracker.settleAndResend(receipts, unmined, head, nonce),
      this.#submit({ waiting, isAnchorDue }, unmined, head, nonce),
    );
    if (hasChanged) this.#anchorSubmitter?.checkSoon();
    state.newWorkAfter = unmined.length > 0 ? performance.now() + times.followMs : state.partialBatchAfter;
    // The status of Artifacts, and events about it.
    if (hasChanged) notices.announce();
    return hasChanged ? 0 : times.followMs;
  }

  /** An anchor, or else registrations: in one step, both would take the same nonce. */
  async #submit(
    { waiting, isAnchorDue }: Pick<Work, 'waiting' | 'isAnchorDue'>,
    unmined: readonly ChainTransaction[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const mayAnchor = isAnchorDue && !this.#context.state.isOutOfFunds;
    const free = freeNonces(nonce, unmined).next().value;
    if (mayAnchor && (await this.#anchorSubmitter?.submit(free, head))) return true;
    return await this.#batchSubmitter.submitWaiting(unmined, waiting, head, nonce);
  }

  /** Every change of the queue renews the lease as well; this is for the time between changes. */
  async #holdLease(): Promise<boolean> {
    const { queue, lease, times, state } = this.#context;
    if (performance.now() - state.leaseRenewedAt < times.leaseMs * LEASE_RENEWAL_FRACTION) return true;
    if (!(await queue.acquireLease(lease))) {
      state.forgetLease();
      return false;
    }
    state.leaseRenewedAt = performance.now();
    state.leaseExpiresAt = state.leaseRenewedAt + times.leaseMs;
    return true;
  }

  #isReorgCheckDue(confirmed: readonly ConfirmedTransaction[]): boolean {
    const { times, state } = this.#context;
    return confirmed.length > 0 && performance.now() - state.reorgsCheckedAt >= times.watchMs;
  }

  async #checkBalance(): Promise<void> {
    const { node, sender, state, log, account } = this.#context;
    const { maxFeePerGas } = await currentFees(node, await readHead(node));
    const wei = await readBalance(node, sender.address);
    state.balanceWei = wei;
    state.balanceReadAt = performance.now();
    const price = BigInt(state.gasPerRegistration() ?? TYPICAL_GAS_PER_REGISTRATION) * maxFeePerGas;
    const isLow = wei < LOW_BALANCE_REGISTRATIONS * price;
    if (isLow && !state.isBalanceLow) {
      log('warn', { address: account.address, wei: String(wei) }, 'chain: the balance of the writing key is low');
    }
    state.isBalanceLow = isLow;
  }
}

function createContext(options: SubmitterOptions): SubmitterContext {
  const { chainId, account } = options;
  const times = { ...defaultTimes, ...options.times };
  const sender = { chainId, address: toLowerCase(account.address) };
  return {
    ...options,
    notices: options.notices ?? noNotices,
    registry: toLowerCase(options.registry),
    times,
    confirmations: BigInt(options.confirmations),
    sender,
    lease: { name: `chain ${chainId} ${sender.address}`, holder: randomUUID(), ms: times.leaseMs },
    state: new SubmitterState(),
  };
}

/** Waits for both even when one fails. */
async function waitForBoth(one: Promise<boolean>, other: Promise<boolean>): Promise<boolean> {
  await Promise.allSettled([one, other]);
  const results = await Promise.all([one, other]);
  return results.includes(true);
}
