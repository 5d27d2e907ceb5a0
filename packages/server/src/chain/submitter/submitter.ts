// Brings registrations to the chain, each exactly once, whatever fails on the way. All that it knows is in the database
// or on the chain; what it keeps in memory only says when to look again.
//
// A transaction is written down before it is sent. From then on it is sent again, and replaced by one that pays more,
// until it is mined, or until its nonce has gone to something else for good. What the contract says decides in the end.

import { randomUUID } from 'node:crypto';
import {
  encodeRegistrations,
  estimateGas,
  type Head,
  nodeErrorMessage,
  type Registration,
  readBalance,
  readHead,
  readTransactionCount,
  revertReason,
} from '@provenance-registry/chain-client';
import { keccak256, stringToBytes } from 'viem';
import type { ChainTransaction, ConfirmedTransaction, Hex, WaitingRegistration } from '../../domain/ports/index.js';
import { currentFees, type Fees } from './fees.js';
import { bytes16, createVerdicts } from './outcomeResolver.js';
import { createWatch } from './reorgWatcher.js';
import { NonceTracker, type Submission, type SubmitterOptions, type TransactionOutcome, usualTimes } from './state.js';
import { createOutgoing, maxGas } from './transactionSender.js';
import { createFollowing } from './transactionTracker.js';

export type { SubmitterOptions } from './state.js';

/** More would not be cheaper for each, and this many fit into a transaction of 2^24 gas with room to spare. */
const MAX_BATCH = 200;
/** Full batches that may be under way, unmined, at once. */
const MAX_IN_FLIGHT = 8;
/** Nodes round estimates down here and there, and the state may change until the transaction is mined. */
const GAS_MARGIN_PERCENT = 20n;
/** Under load: what one transaction with this many needed tells what the next needs, for each registration. */
const MANY = 50;
/** After this time it is asked for again. */
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
    notes: new NonceTracker(),
  };
  const verdicts = createVerdicts(submission);
  const outgoing = createOutgoing(submission);
  const { look, follow, gasPerRegistration } = createFollowing(submission, outgoing, verdicts);
  const watch = createWatch(submission);

  const balance: { wei: bigint | undefined; low: boolean } = { wei: undefined, low: false };
  let balanceAskedAt = Number.NEGATIVE_INFINITY;
  let watchedAt = Number.NEGATIVE_INFINITY;
  let heldAt = Number.NEGATIVE_INFINITY;
  /** No batch that is not full goes out before this. */
  let gatherUntil = Number.NEGATIVE_INFINITY;
  /** A new registration causes no step before this: it could not be sent. */
  let newWaitsUntil = Number.NEGATIVE_INFINITY;
  let newWaits: NodeJS.Timeout | undefined;
  let batchSize = MAX_BATCH;
  let estimate: { readonly gasForEach: bigint; readonly madeAt: number; readonly reverted: number } | undefined;
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
    const complaint = nodeErrorMessage(error);
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
      queue.waiting(batchSize * MAX_IN_FLIGHT),
    ]);
    const isIdle = open.length + waiting.length === 0;
    if (isIdle && !isTimeToWatch(confirmed)) return times.idleMs;

    const [head, nonce] = await Promise.all([
      readHead(node),
      isIdle ? 0 : readTransactionCount(node, sender.address, 'latest'),
    ]);
    if (await watch.look(confirmed, head)) return 0;
    watchedAt = performance.now();
    return isIdle ? times.idleMs : await move(open, waiting, head, nonce);
  }

  async function move(
    open: readonly ChainTransaction[],
    waiting: readonly WaitingRegistration[],
    head: Head,
    nonce: number,
  ): Promise<number> {
    const unmined = open.filter((transaction) => transaction.nonce >= nonce);
    // Before anything is sent: a node that is busy with a transaction answers late.
    const seen = await look(open, head, nonce);
    const isMoving = await bothOf(follow(seen, unmined, head, nonce), fill(unmined, waiting, head, nonce));
    newWaitsUntil = unmined.length > 0 ? performance.now() + times.followMs : gatherUntil;
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

  /** Few go at once; while others are under way, or have just been, only full batches follow. */
  async function fill(
    unmined: readonly ChainTransaction[],
    waiting: readonly WaitingRegistration[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    // What is under way is sent again until the node takes it: the money has come then.
    if (outgoing.isOutOfFunds() && unmined.length > 0) return false;
    const nonces = freeNonces(nonce, unmined);
    const batches = inBatches(waiting, unmined.length);
    if (batches.length > 0) return await registerAll(batches, head, nonces);
    // Nothing after a missing nonce is mined: something must take its place.
    const free = nonces.next().value;
    const isGap = unmined.some((transaction) => transaction.nonce > free);
    if (isGap) await outgoing.dispatchNothing(free, head);
    return isGap;
  }

  function inBatches(waiting: readonly WaitingRegistration[], underWay: number): (readonly WaitingRegistration[])[] {
    if (waiting.length < batchSize) {
      const mayGo = waiting.length > 0 && underWay === 0 && performance.now() >= gatherUntil;
      return mayGo ? [waiting] : [];
    }
    const full = Math.min(MAX_IN_FLIGHT - underWay, Math.floor(waiting.length / batchSize));
    return Array.from({ length: Math.max(0, full) }, (_, index) =>
      waiting.slice(index * batchSize, (index + 1) * batchSize),
    );
  }

  /** While the node takes one, the next is written down. */
  async function registerAll(
    batches: readonly (readonly WaitingRegistration[])[],
    head: Head,
    nonces: Iterator<number, never>,
  ): Promise<boolean> {
    const fees = await currentFees(node, head);
    let sending = Promise.resolve();
    for (const batch of batches) {
      const writing = register(batch, head, nonces, fees);
      await Promise.allSettled([writing, sending]);
      await sending;
      const next = await writing;
      if (typeof next === 'boolean') return next;
      sending = next();
    }
    await sending;
    return true;
  }

  /** Answers with what sends it, or, when it was not to be sent, whether something has changed. */
  async function register(
    batch: readonly WaitingRegistration[],
    head: Head,
    nonces: Iterator<number, never>,
    fees: Fees,
  ): Promise<(() => Promise<void>) | boolean> {
    // Under load, what was never tried is not looked for: the contract leaves out what it has, and the receipt tells.
    const isNew = ({ attempts, wasSubmitted }: WaitingRegistration) => attempts === 0 && !wasSubmitted;
    const doubtful = batch.length >= MANY ? batch.filter((one) => !isNew(one)) : batch;
    const sifted = doubtful.length > 0 ? await verdicts.sift(doubtful) : undefined;
    if (sifted && sifted.absent.length < doubtful.length) {
      await verdicts.settleFound(sifted, head);
      return true;
    }
    const calldata = encodeRegistrations(registrationsOf(batch));
    let gas: bigint;
    try {
      gas = await gasFor(calldata, batch.length);
    } catch (error) {
      return await refused(error, batch);
    }
    if (gas > maxGas(head)) return await tooMuch(batch);
    const artifactIds = batch.map(({ artifactId }) => artifactId);
    const call = { recipient: registry, calldata, gas };
    const send = await outgoing.writeDown(nonces.next().value, call, artifactIds, fees);
    if (batch.length < batchSize) gatherUntil = performance.now() + times.gatherMs;
    batchSize = Math.min(2 * batchSize, MAX_BATCH);
    return send;
  }

  /** Throws when the contract refuses. */
  async function gasFor(calldata: Hex, size: number): Promise<bigint> {
    const count = BigInt(size);
    // Where one that is refused is being looked for, every batch is tried out.
    const isUsual = count >= MANY && batchSize === MAX_BATCH;
    const isFresh = estimate !== undefined && performance.now() - estimate.madeAt < ESTIMATE_HOLDS_MS;
    if (isUsual && isFresh && estimate?.reverted === outcomes.reverted) return estimate.gasForEach * count;
    const needed = await estimateGas(node, { from: sender.address, to: registry, data: calldata });
    const gas = needed + (needed * GAS_MARGIN_PERCENT) / 100n;
    if (isUsual) {
      estimate = { gasForEach: gas / count + 1n, madeAt: performance.now(), reverted: outcomes.reverted };
    }
    return gas;
  }

  async function refused(error: unknown, registrations: readonly WaitingRegistration[]): Promise<boolean> {
    if (doesNotFit.test(nodeErrorMessage(error))) return await tooMuch(registrations);
    const refusal = revertReason(error);
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
    balance.wei = await readBalance(node, sender.address);
    balanceAskedAt = performance.now();
    const price = BigInt(gasPerRegistration() ?? USUAL_GAS_PER_REGISTRATION) * maxFeePerGas;
    const low = balance.wei < LOW_BALANCE_REGISTRATIONS * price;
    if (low && !balance.low) {
      const details = { address: account.address, wei: String(balance.wei) };
      log('warn', details, 'chain: the balance of the writing key is low');
    }
    balance.low = low;
  }

  function wakeForNew(): void {
    newWaits ??= setTimeout(
      () => {
        newWaits = undefined;
        wake();
      },
      Math.max(0, newWaitsUntil - performance.now()),
    );
  }

  return {
    wake: wakeForNew,
    report: () => ({
      transactions: { ...outcomes },
      gasPerRegistration: gasPerRegistration() ?? 0,
      balance: balance.wei,
      lowBalance: balance.low || outgoing.isOutOfFunds(),
    }),
    async stop() {
      stopped = true;
      clearTimeout(newWaits);
      wake();
      await running;
    },
  };
}

/** Most of a batch is of a few users, and this hash is the slow part. */
function registrationsOf(batch: readonly WaitingRegistration[]): Registration[] {
  const users = new Set(batch.map(({ userId }) => userId));
  const userIdHashes = new Map([...users].map((userId) => [userId, keccak256(stringToBytes(userId))] as const));
  return batch.map(({ artifactId, fingerprint, manifestHash, userId }) => ({
    fingerprint,
    manifestId: bytes16(artifactId),
    manifestHash,
    userIdHash: userIdHashes.get(userId) ?? keccak256(stringToBytes(userId)),
  }));
}

/** Those that no transaction has taken, lowest first. */
function* freeNonces(next: number, unmined: readonly ChainTransaction[]): Generator<number, never> {
  const taken = new Set(unmined.map(({ nonce }) => nonce));
  for (let nonce = next; ; nonce += 1) if (!taken.has(nonce)) yield nonce;
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
