// Brings registrations to the chain, each exactly once, whatever fails on the way. All that it knows is in the database
// or on the chain; what it keeps in memory only says when to look again.
//
// A transaction is written down before it is sent. From then on it is sent again, and replaced by one that pays more,
// until it is mined, or until its nonce has gone to something else for good. What the contract says decides in the end.

import { randomUUID } from 'node:crypto';
import { keccak256, stringToBytes } from 'viem';
import type { ChainTransaction, ConfirmedTransaction, Hex, WaitingRegistration } from '../registry/ports.js';
import { currentFees } from './fees.js';
import { createFollowing } from './following.js';
import {
  complaintOf,
  estimateRegistrations,
  type Head,
  type Registration,
  readHead,
  refusalOf,
  registrationCalldata,
} from './node.js';
import { createOutgoing, maxGas } from './outgoing.js';
import { createWatch } from './reorganisations.js';
import {
  NotesOfNonces,
  type Submission,
  type SubmitterOptions,
  type TransactionOutcome,
  usualTimes,
} from './submission.js';
import { bytes16, createVerdicts } from './verdicts.js';

export type { SubmitterOptions } from './submission.js';

/** More would not be cheaper for each, and this many fit into a transaction of 2^24 gas with room to spare. */
const MAX_BATCH = 200;
/** Full batches that may be under way, unmined, at once. */
const MAX_IN_FLIGHT = 4;
/** Nodes round estimates down here and there, and the state may change until the transaction is mined. */
const GAS_MARGIN_PERCENT = 20n;
/** Under load a full batch needs what the full batch before it needed; after this time it is asked for again. */
const ESTIMATE_HOLDS_MS = 30_000;
/** Of the lease's time. */
const RENEW_AFTER = 1 / 3;
/** Below the price of so many registrations the balance is called low. */
const LOW_BALANCE_REGISTRATIONS = 1_000n;
const BALANCE_EVERY_MS = 60_000;
/** Of one in a batch; until this process has measured it. */
const USUAL_GAS_PER_REGISTRATION = 53_000;
/** A node that stays away is asked again after one, two, three, … times the usual pause, up to so many. */
const MAX_PAUSES_AFTER_FAILURE = 10;

/** What the contract says when it refuses everything, not one registration. */
const refusesEverything = new Set(['EnforcedPause', 'AccessControlUnauthorizedAccount']);
const doesNotFit = /out of gas|ran out of|gas limit|gas cap|exceeds.*gas|gas.*exceeds/i;

export interface SubmitterReport {
  readonly transactions: Readonly<Record<TransactionOutcome, number>>;
  readonly gasPerRegistration: number;
  readonly balance: bigint | undefined;
  readonly lowBalance: boolean;
}

export interface Submitter {
  /** There is something to do. */
  wake(): void;
  report(): SubmitterReport;
  /** Ends after the step that is under way. */
  stop(): Promise<void>;
}

export function startSubmitter(options: SubmitterOptions): Submitter {
  const { queue, node, chainId, account, log } = options;
  const registry = lower(options.registry);
  const times = { ...usualTimes, ...options.times };
  const sender = { chainId, address: lower(account.address) };
  const lease = { name: `chain ${chainId} ${sender.address}`, holder: randomUUID(), ms: times.leaseMs };
  const outcomes = { confirmed: 0, reverted: 0, replaced: 0, lost: 0, reorganised: 0 };
  const submission: Submission = {
    ...options,
    registry,
    times,
    confirmations: BigInt(options.confirmations),
    sender,
    lease,
    outcomes,
    notes: new NotesOfNonces(),
  };
  const verdicts = createVerdicts(submission);
  const outgoing = createOutgoing(submission);
  const { follow, gasPerRegistration } = createFollowing(submission, outgoing, verdicts);
  const watch = createWatch(submission);

  const balance: { wei: bigint | undefined; low: boolean } = { wei: undefined, low: false };
  let balanceAskedAt = Number.NEGATIVE_INFINITY;
  let watchedAt = Number.NEGATIVE_INFINITY;
  let heldAt = Number.NEGATIVE_INFINITY;
  let batchSize = MAX_BATCH;
  let fullBatch: { readonly gas: bigint; readonly estimatedAt: number; readonly reverted: number } | undefined;
  let stopped = false;
  let wake = () => {};
  let lastComplaint = '';

  const running = run();

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopped) {
      // Made before the step: what comes during it is not missed.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      let pauseMs: number;
      try {
        pauseMs = await step();
        failures = 0;
        lastComplaint = '';
      } catch (error) {
        failures += 1;
        heldAt = Number.NEGATIVE_INFINITY;
        pauseMs = times.followMs * Math.min(failures, MAX_PAUSES_AFTER_FAILURE);
        complain(error);
      }
      if (pauseMs > 0 && !stopped) {
        const timer = setTimeout(wake, pauseMs);
        await woken;
        clearTimeout(timer);
      }
    }
    await queue.letGo(lease).catch(() => undefined);
  }

  function complain(error: unknown): void {
    const complaint = complaintOf(error);
    // Once: a node that is away for an hour is one event.
    if (complaint !== lastComplaint) log('warn', { reason: complaint }, 'chain: will be tried again');
    lastComplaint = complaint;
  }

  /** Answers with the time until the next. */
  async function step(): Promise<number> {
    if (!(await holdLease())) return times.followMs;
    if (performance.now() - balanceAskedAt > BALANCE_EVERY_MS) await lookAtBalance();
    const [open, confirmed, waiting] = await Promise.all([
      queue.transactions(sender),
      queue.confirmed(sender),
      queue.waiting(batchSize),
    ]);
    const isIdle = open.length + waiting.length === 0;
    if (isIdle && !isTimeToWatch(confirmed)) return times.idleMs;

    const [head, nonce] = await Promise.all([
      readHead(node),
      isIdle ? 0 : node.getTransactionCount({ address: sender.address, blockTag: 'latest' }),
    ]);
    if (await watch.look(confirmed, head)) return 0;
    watchedAt = performance.now();
    if (isIdle) return times.idleMs;
    const isMoving = await bothOf(follow(open, head, nonce), fill(open, waiting, head, nonce));
    return isMoving ? 0 : times.followMs;
  }

  /** Every change renews it as well: this is for the time between them. */
  async function holdLease(): Promise<boolean> {
    if (performance.now() - heldAt < times.leaseMs * RENEW_AFTER) return true;
    if (!(await queue.hold(lease))) return false;
    heldAt = performance.now();
    return true;
  }

  function isTimeToWatch(confirmed: readonly ConfirmedTransaction[]): boolean {
    return confirmed.length > 0 && performance.now() - watchedAt >= times.watchMs;
  }

  /** Few go at once; while others are under way only full batches follow. */
  async function fill(
    open: readonly ChainTransaction[],
    waiting: readonly WaitingRegistration[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const unmined = open.filter((transaction) => transaction.nonce >= nonce);
    // What is under way is sent again until the node takes it: the money has come then.
    if (outgoing.isOutOfFunds() && unmined.length > 0) return false;
    const taken = new Set(open.map((transaction) => transaction.nonce));
    let free = nonce;
    while (taken.has(free)) free += 1;
    const isFull = waiting.length >= batchSize && unmined.length < MAX_IN_FLIGHT;
    if (waiting.length > 0 && (unmined.length === 0 || isFull)) return await register(waiting, head, free);
    // Nothing after a missing nonce is mined: something must take its place.
    const isGap = unmined.some((transaction) => transaction.nonce > free);
    if (isGap) await outgoing.dispatchNothing(free, head);
    return isGap;
  }

  async function register(waiting: readonly WaitingRegistration[], head: Head, nonce: number): Promise<boolean> {
    const [sifted, fees] = await Promise.all([verdicts.sift(waiting), currentFees(node, head)]);
    const { absent } = sifted;
    if (absent.length < waiting.length) {
      await verdicts.settleFound(sifted, head);
      return true;
    }
    const registrations = absent.map(({ artifactId, fingerprint, manifestHash, userId }) => ({
      fingerprint,
      manifestId: bytes16(artifactId),
      manifestHash,
      userIdHash: keccak256(stringToBytes(userId)),
    }));
    let gas: bigint;
    try {
      gas = await gasFor(registrations);
    } catch (error) {
      return await refused(error, absent);
    }
    if (gas > maxGas(head)) return await tooMuch(absent);
    const artifactIds = absent.map(({ artifactId }) => artifactId);
    const call = { recipient: registry, calldata: registrationCalldata(registrations), gas };
    await outgoing.dispatch(nonce, call, artifactIds, fees);
    batchSize = Math.min(2 * batchSize, MAX_BATCH);
    return true;
  }

  /** Throws when the contract refuses. */
  async function gasFor(registrations: readonly Registration[]): Promise<bigint> {
    const isFull = registrations.length === MAX_BATCH;
    const isFresh = fullBatch !== undefined && performance.now() - fullBatch.estimatedAt < ESTIMATE_HOLDS_MS;
    if (isFull && isFresh && fullBatch?.reverted === outcomes.reverted) return fullBatch.gas;
    const needed = await estimateRegistrations(node, { registry, sender: sender.address }, registrations);
    const gas = needed + (needed * GAS_MARGIN_PERCENT) / 100n;
    if (isFull) fullBatch = { gas, estimatedAt: performance.now(), reverted: outcomes.reverted };
    return gas;
  }

  async function refused(error: unknown, registrations: readonly WaitingRegistration[]): Promise<boolean> {
    if (doesNotFit.test(complaintOf(error))) return await tooMuch(registrations);
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    // One that the contract will not have must not keep the others back.
    if (registrations.length > 1 && !refusesEverything.has(refusal)) return halve(registrations.length);
    return await giveBack(registrations, `the registry contract refused it (${refusal})`);
  }

  async function tooMuch(registrations: readonly WaitingRegistration[]): Promise<boolean> {
    if (registrations.length > 1) return halve(registrations.length);
    return await giveBack(registrations, 'it needs more gas than a transaction may have');
  }

  function halve(tried: number): boolean {
    batchSize = Math.max(1, Math.floor(tried / 2));
    return true;
  }

  async function giveBack(registrations: readonly WaitingRegistration[], reason: string): Promise<boolean> {
    log('warn', { reason, registrations: registrations.length }, 'chain: not registered');
    await queue.settle(lease, await verdicts.judge(registrations, reason));
    batchSize = MAX_BATCH;
    return false;
  }

  async function lookAtBalance(): Promise<void> {
    const { maxFeePerGas } = await currentFees(node, await readHead(node));
    balance.wei = await node.getBalance({ address: sender.address });
    balanceAskedAt = performance.now();
    const price = BigInt(gasPerRegistration() ?? USUAL_GAS_PER_REGISTRATION) * maxFeePerGas;
    const low = balance.wei < LOW_BALANCE_REGISTRATIONS * price;
    if (low && !balance.low) {
      const details = { address: account.address, wei: String(balance.wei) };
      log('warn', details, 'chain: the balance of the writing key is low');
    }
    balance.low = low;
  }

  return {
    wake: () => wake(),
    report: () => ({
      transactions: { ...outcomes },
      gasPerRegistration: gasPerRegistration() ?? 0,
      balance: balance.wei,
      lowBalance: balance.low || outgoing.isOutOfFunds(),
    }),
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}

/** Neither is left alone when the other fails. */
async function bothOf(one: Promise<boolean>, two: Promise<boolean>): Promise<boolean> {
  await Promise.allSettled([one, two]);
  const [first, second] = await Promise.all([one, two]);
  return first || second;
}

function lower(address: string): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
