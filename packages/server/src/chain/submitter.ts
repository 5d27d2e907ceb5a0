// Brings registrations to the chain, each exactly once, whatever fails on the way. All that it knows is in the database
// or on the chain; what it keeps in memory only says when to look again.
//
// A transaction is written down before it is sent. From then on it is sent again, and replaced by one that pays more,
// until it is mined, or until its nonce has gone to something else for good. What the contract says decides in the end.

import { randomUUID } from 'node:crypto';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { keccak256, type PublicClient, parseEventLogs, stringToBytes } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type {
  ChainTransaction,
  Hex,
  Lease,
  NewAttempt,
  Outcome,
  RegistrationQueue,
  WaitingRegistration,
} from '../registry/ports.js';
import { findTransactionHash } from './logs.js';
import {
  blockHashAt,
  complaintOf,
  curatedManifestIds,
  estimateRegistrations,
  type Head,
  type Receipt,
  readHead,
  receiptOf,
  refusalOf,
  registrationCalldata,
} from './node.js';

/** More would not be cheaper for each, and this many fit into a transaction of 2^24 gas with room to spare. */
const MAX_BATCH = 200;
/** EIP-7825. */
const MAX_TRANSACTION_GAS = 16_777_216n;
/** Full batches that may be under way at once. */
const MAX_IN_FLIGHT = 4;
/** So many blocks on top of one that counts as confirmed, and no reorganisation is expected to reach it any more. */
const REORG_DEPTH = 64n;
/** The time that a process may be silent before another takes over; well above the longest call. */
const LEASE_MS = 15_000;
/** Nodes round estimates down here and there, and the state may change until the transaction is mined. */
const GAS_MARGIN_PERCENT = 20n;
/** Nodes take a replacement only if it pays a tenth more; both fees must rise. */
const REPLACEMENT_RISE = 8n;
const FALLBACK_PRIORITY_FEE = 1_000_000_000n;
/** A price above this is a mistake or an attack: the transaction waits. */
const MAX_FEE_PER_GAS = 2_000_000_000_000n;
/** After a refusal: one second, then twice as long each time, to this. */
const MAX_RETRY_DELAY_MS = 60_000;
/** Below the price of so many registrations the balance is called low. */
const LOW_BALANCE_REGISTRATIONS = 1_000n;
const BALANCE_EVERY_MS = 60_000;

/** What the contract says when it refuses everything, not one registration. */
const refusesEverything = new Set(['EnforcedPause', 'AccessControlUnauthorizedAccount']);
const alreadyThere = /already known|known transaction|already imported|already in/i;
const withoutFunds = /insufficient funds|enough funds|insufficient balance/i;
const doesNotFit = /gas limit|gas cap|exceeds.*gas|gas.*exceeds/i;
const noId = `0x${'00'.repeat(16)}`;

export interface SubmitterOptions {
  readonly queue: RegistrationQueue;
  readonly node: PublicClient;
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
  /** An unmined transaction is sent again after this time, */
  readonly resendMs: number;
  /** and replaced after this: several blocks on most chains. */
  readonly stuckMs: number;
  /** A nonce that is used must stay so for this long, and no receipt be found, before its transaction is given up. */
  readonly lostMs: number;
}

const usualTimes: SubmitterTimes = { idleMs: 500, followMs: 1_000, resendMs: 10_000, stuckMs: 45_000, lostMs: 10_000 };

export type TransactionOutcome = 'confirmed' | 'reverted' | 'replaced' | 'lost' | 'reorganised';

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

/** In memory only: when it was first seen so, or last sent. */
interface Notes {
  sentAt?: number;
  wasMined?: boolean;
  lostSince?: number;
}

export function startSubmitter(options: SubmitterOptions): Submitter {
  const { queue, node, chainId, registry, account, confirmations, log } = options;
  const times = { ...usualTimes, ...options.times };
  const sender = { chainId, address: lower(account.address) };
  const lease: Lease = { name: `chain ${chainId} ${sender.address}`, holder: randomUUID(), ms: LEASE_MS };
  const notes = new Map<string, Notes>();
  const outcomes = { confirmed: 0, reverted: 0, replaced: 0, lost: 0, reorganised: 0 };
  const gas = { used: 0n, registrations: 0n };
  const balance: { wei: bigint | undefined; low: boolean; askedAt: number } = {
    wei: undefined,
    low: false,
    askedAt: 0,
  };
  let batchSize = MAX_BATCH;
  let watchedHead: Head | undefined;
  let outOfFunds = false;
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
        pauseMs = Math.min(times.followMs * failures, 10 * times.followMs);
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
    if (!(await queue.hold(lease))) return times.followMs;
    if (Date.now() - balance.askedAt > BALANCE_EVERY_MS) await lookAtBalance();
    const transactions = await queue.transactions(sender);
    const waiting = await queue.waiting(batchSize);
    if (transactions.length + waiting.length === 0) return times.idleMs;

    const head = await readHead(node);
    const reorganised = await watch(
      transactions.filter(({ block }) => block),
      head,
    );
    if (reorganised) return 0;
    const open = transactions.filter(({ block }) => !block);
    if (open.length + waiting.length === 0) return times.idleMs;

    const nonce = await node.getTransactionCount({ address: sender.address, blockTag: 'latest' });
    const moved = await follow(open, head, nonce);
    if (moved) return 0;
    return (await fill(open, waiting, head, nonce)) ? 0 : times.followMs;
  }

  /** Transactions that count as confirmed, until no reorganisation can reach them. True when one has. */
  async function watch(confirmed: readonly ChainTransaction[], head: Head): Promise<boolean> {
    if (confirmed.length === 0 || head.hash === watchedHead?.hash) return false;
    const lost = head.parentHash === watchedHead?.hash ? [] : await takenBack(confirmed);
    if (lost.length > 0) {
      outcomes.reorganised += lost.length;
      log('warn', { transactions: lost.length }, 'chain: a reorganisation took confirmed transactions back');
      await queue.reopen(lease, lost);
      return true;
    }
    const depth = BigInt(confirmations) + REORG_DEPTH;
    const settled = confirmed.filter(({ block }) => block && head.number - block.number >= depth);
    if (settled.length > 0) await queue.forget(lease, settled.map(idOf));
    watchedHead = head;
    return false;
  }

  async function takenBack(confirmed: readonly ChainTransaction[]): Promise<string[]> {
    const lost: string[] = [];
    const height = ({ block }: ChainTransaction) => Number(block?.number ?? 0n);
    // A block that is still there has all those below it under it: the highest is asked for first.
    for (const { id, block } of confirmed.toSorted((one, two) => height(two) - height(one))) {
      if (block && (await blockHashAt(node, block.number)) === block.hash) break;
      lost.push(id);
    }
    return lost;
  }

  /** Looks after the transactions under way, lowest nonce first. True when one of them came to an end. */
  async function follow(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<boolean> {
    let moved = false;
    for (const transaction of open) {
      if (transaction.nonce >= nonce) await sendAgain(transaction, head, transaction.nonce === nonce);
      else if (await conclude(transaction, head)) moved = true;
    }
    return moved;
  }

  /** Its nonce is used: by one of its attempts, or by something else. True when that is certain. */
  async function conclude(transaction: ChainTransaction, head: Head): Promise<boolean> {
    const receipt = await findReceipt(transaction);
    if (!receipt) return await settleLost(transaction, head);
    const note = noteOf(transaction);
    note.wasMined = true;
    delete note.lostSince;
    if (!(await isDeepEnough(receipt, head))) return false;
    await settleMined(transaction, receipt);
    return true;
  }

  async function findReceipt({ attempts }: ChainTransaction): Promise<Receipt | undefined> {
    for (const { hash } of attempts.toReversed()) {
      const receipt = await receiptOf(node, hash);
      if (receipt) return receipt;
    }
    return undefined;
  }

  async function isDeepEnough(receipt: Receipt, head: Head): Promise<boolean> {
    if (head.number - receipt.blockNumber + 1n < BigInt(confirmations)) return false;
    const canonical = receipt.blockNumber === head.number ? head.hash : await blockHashAt(node, receipt.blockNumber);
    // Otherwise the node's answers are from two moments, or from two nodes: the next look will tell.
    return canonical === receipt.blockHash;
  }

  async function settleMined(transaction: ChainTransaction, receipt: Receipt): Promise<void> {
    const { id, registrations } = transaction;
    const logs = receipt.logs.filter(({ address }) => lower(address) === registry);
    const events = parseEventLogs({ abi: contentRegistryAbi, logs, eventName: 'SoftBindingRegistered' });
    const registered = new Set<string>(events.map(({ args }) => args.fingerprint));
    const landed = registrations.filter(({ fingerprint }) => registered.has(fingerprint));
    const missing = registrations.filter(({ fingerprint }) => !registered.has(fingerprint));
    const reverted = receipt.status !== 'success';
    const rest = await judge(missing, reverted ? 'the transaction was reverted' : 'the transaction left it out');
    const { transactionHash, blockNumber: number, blockHash: hash } = receipt;
    const submitted = landed.map(({ artifactId }) => ({ artifactId, transactionHash }));
    await queue.settle(lease, {
      ...rest,
      submitted: [...submitted, ...(rest.submitted ?? [])],
      transaction: { id, block: landed.length > 0 ? { number, hash } : undefined },
    });
    notes.delete(id);
    outcomes[reverted ? 'reverted' : 'confirmed'] += 1;
    gas.used += receipt.gasUsed;
    gas.registrations += BigInt(landed.length);
    log('info', { transactionHash, registered: landed.length, missing: missing.length }, 'chain: transaction settled');
  }

  /** Not by one of its attempts, as far as can be seen. */
  async function settleLost(transaction: ChainTransaction, head: Head): Promise<boolean> {
    const note = noteOf(transaction);
    note.lostSince ??= Date.now();
    if (Date.now() - note.lostSince < times.lostMs) return false;
    const blockNumber = deepBlock(head);
    const deepNonce = await node.getTransactionCount({ address: sender.address, blockNumber });
    if (deepNonce <= transaction.nonce) return false;
    const { id, nonce, registrations } = transaction;
    log('warn', { nonce }, 'chain: another transaction took the nonce');
    const outcome = await judge(registrations, 'another transaction took its nonce');
    await queue.settle(lease, { ...outcome, transaction: { id, block: undefined } });
    notes.delete(id);
    outcomes.lost += 1;
    return true;
  }

  /** Not in the transaction that is at its end: the contract says whether they are registered after all. */
  async function judge(registrations: readonly WaitingRegistration[], reason: string): Promise<Outcome> {
    if (registrations.length === 0) return {};
    const { ours, others, absent } = await lookUp(registrations);
    return merge(await settleFound(ours), {
      again: [
        ...absent.filter((registration) => !isOver(registration)),
        ...others.filter(({ wasSubmitted }) => wasSubmitted),
      ].map(({ artifactId, attempts }) => ({ artifactId, reason, delayMs: retryDelay(attempts) })),
      failed: [
        ...absent
          .filter(isOver)
          .map(({ artifactId }) => ({ artifactId, reason: `Not registered on chain: ${reason}.` })),
        ...others.filter(({ wasSubmitted }) => !wasSubmitted).map(takenByAnother),
      ],
    });
  }

  async function lookUp(registrations: readonly WaitingRegistration[], blockNumber?: bigint) {
    const fingerprints = registrations.map(({ fingerprint }) => fingerprint);
    const ids = await curatedManifestIds(node, registry, fingerprints, blockNumber);
    const found = new Map(registrations.map((registration, index) => [registration, ids[index] ?? noId]));
    const isOurs = (registration: WaitingRegistration) => found.get(registration) === bytes16(registration.artifactId);
    const isAbsent = (registration: WaitingRegistration) => found.get(registration) === noId;
    return {
      ours: registrations.filter(isOurs),
      absent: registrations.filter(isAbsent),
      others: registrations.filter((registration) => !isOurs(registration) && !isAbsent(registration)),
    };
  }

  /** Registered by a transaction that is not known here any more. */
  async function settleFound(found: readonly WaitingRegistration[]): Promise<Outcome> {
    const submitted = [];
    for (const { artifactId, fingerprint } of found) {
      submitted.push({ artifactId, transactionHash: await findTransactionHash(node, registry, fingerprint) });
    }
    return { submitted };
  }

  /** A failure is certain only when the registration can no longer land; whoever calls this knows that. */
  function isOver({ attempts, createdAt, wasSubmitted }: WaitingRegistration): boolean {
    const { attempts: maxAttempts, ms } = options.retry;
    return !wasSubmitted && attempts + 1 >= maxAttempts && Date.now() - createdAt.getTime() >= ms;
  }

  async function sendAgain(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void> {
    const note = noteOf(transaction);
    const newest = transaction.attempts.at(-1);
    if (!newest) throw new Error(`transaction ${transaction.nonce} was written down without an attempt`);
    const age = Date.now() - newest.createdAt.getTime();
    if (isNext && age > times.stuckMs && !outOfFunds) {
      const fees = await raisedFees(newest, head);
      if (fees) {
        const attempt = await sign(transaction, fees);
        await queue.addAttempt(lease, transaction.id, attempt);
        outcomes.replaced += 1;
        log('info', { nonce: transaction.nonce, ...textOf(fees) }, 'chain: a stuck transaction pays more');
        await send(attempt.raw, note);
        return;
      }
    }
    const silent = note.sentAt === undefined || Date.now() - note.sentAt > times.resendMs;
    if (silent || note.wasMined) await send(newest.raw, note);
    note.wasMined = false;
  }

  /** Whatever the answer: the receipt decides. */
  async function send(raw: Hex, note: Notes): Promise<void> {
    note.sentAt = Date.now();
    try {
      await node.sendRawTransaction({ serializedTransaction: raw });
      outOfFunds = false;
    } catch (error) {
      const complaint = complaintOf(error);
      if (alreadyThere.test(complaint)) return;
      if (withoutFunds.test(complaint) && !outOfFunds) {
        outOfFunds = true;
        log('warn', { address: account.address }, 'chain: the writing key has no funds');
      } else {
        complain(error);
      }
    }
  }

  /** Few go at once; while others are under way only full batches follow. */
  async function fill(
    open: readonly ChainTransaction[],
    waiting: readonly WaitingRegistration[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const taken = new Set(open.map((transaction) => transaction.nonce));
    let free = nonce;
    while (taken.has(free)) free += 1;
    const isGap = open.some((transaction) => transaction.nonce > free);
    const isReady =
      waiting.length > 0 && (open.length === 0 || (waiting.length >= batchSize && open.length < MAX_IN_FLIGHT));
    if (outOfFunds) return false;
    if (isReady) return await register(waiting, head, free);
    // Nothing after a missing nonce is mined: something must take its place.
    if (isGap) await assign(free, { recipient: sender.address, calldata: '0x', gas: 21_000n }, [], head);
    return isGap;
  }

  async function register(waiting: readonly WaitingRegistration[], head: Head, nonce: number): Promise<boolean> {
    const { ours, others, absent } = await lookUp(waiting);
    if (ours.length + others.length > 0) {
      await settleEarlier(ours, others, head);
      if (absent.length === 0) return true;
    }
    const registrations = absent.map(({ artifactId, fingerprint, manifestHash, userId }) => ({
      fingerprint,
      manifestId: bytes16(artifactId),
      manifestHash,
      userIdHash: keccak256(stringToBytes(userId)),
    }));
    const limit = head.gasLimit < MAX_TRANSACTION_GAS ? head.gasLimit : MAX_TRANSACTION_GAS;
    let gasLimit: bigint;
    try {
      const needed = await estimateRegistrations(node, { registry, sender: sender.address }, registrations);
      gasLimit = needed + (needed * GAS_MARGIN_PERCENT) / 100n;
    } catch (error) {
      return await refused(error, absent);
    }
    if (gasLimit > limit && absent.length > 1) return halve(absent.length);
    const calldata = registrationCalldata(registrations);
    await assign(nonce, { recipient: registry, calldata, gas: gasLimit }, absent, head);
    batchSize = Math.min(2 * batchSize, MAX_BATCH);
    return true;
  }

  /** On chain before this process sent them: believed when it is deep enough, and looked at again until then. */
  async function settleEarlier(
    ours: readonly WaitingRegistration[],
    others: readonly WaitingRegistration[],
    head: Head,
  ): Promise<void> {
    const deep = await lookUp([...ours, ...others], deepBlock(head));
    const later = [...deep.absent, ...deep.others.filter(({ wasSubmitted }) => wasSubmitted)];
    await queue.settle(
      lease,
      merge(await settleFound(deep.ours), {
        failed: deep.others.filter(({ wasSubmitted }) => !wasSubmitted).map(takenByAnother),
        again: later.map(({ artifactId, attempts }) => ({
          artifactId,
          reason: 'on chain, but not deep enough',
          delayMs: retryDelay(attempts),
        })),
      }),
    );
  }

  async function refused(error: unknown, registrations: readonly WaitingRegistration[]): Promise<boolean> {
    const refusal = refusalOf(error);
    if (refusal === undefined) {
      if (doesNotFit.test(complaintOf(error)) && registrations.length > 1) return halve(registrations.length);
      throw error;
    }
    // One that the contract will not have must not keep the others back.
    if (registrations.length > 1 && !refusesEverything.has(refusal)) return halve(registrations.length);
    log('warn', { refusal, registrations: registrations.length }, 'chain: the contract refuses');
    await queue.settle(lease, await judge(registrations, `the registry contract refused it (${refusal})`));
    batchSize = MAX_BATCH;
    return false;
  }

  function halve(tried: number): boolean {
    batchSize = Math.max(1, Math.floor(tried / 2));
    return true;
  }

  async function assign(
    nonce: number,
    call: Pick<ChainTransaction, 'recipient' | 'calldata' | 'gas'>,
    registrations: readonly WaitingRegistration[],
    head: Head,
  ): Promise<void> {
    const attempt = await sign({ nonce, ...call }, await currentFees(head));
    const artifactIds = registrations.map(({ artifactId }) => artifactId);
    await queue.assign(lease, { sender, nonce, ...call, attempt }, artifactIds);
    await send(attempt.raw, {});
  }

  async function sign(
    { nonce, recipient, calldata, gas: gasLimit }: Pick<ChainTransaction, 'nonce' | 'recipient' | 'calldata' | 'gas'>,
    fees: Fees,
  ): Promise<NewAttempt> {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      to: recipient,
      data: calldata,
      gas: gasLimit,
      ...fees,
    });
    return { hash: keccak256(raw), raw, ...fees };
  }

  async function currentFees({ baseFeePerGas }: Head): Promise<Fees> {
    const suggested = await node.estimateMaxPriorityFeePerGas().catch(() => FALLBACK_PRIORITY_FEE);
    const maxPriorityFeePerGas = suggested > 0n ? suggested : FALLBACK_PRIORITY_FEE;
    // The base fee can double in six full blocks.
    return { maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas };
  }

  async function raisedFees(last: Fees, head: Head): Promise<Fees | undefined> {
    const current = await currentFees(head);
    const raise = (fee: bigint) => fee + fee / REPLACEMENT_RISE + 1n;
    const fees = {
      maxFeePerGas: max(current.maxFeePerGas, raise(last.maxFeePerGas)),
      maxPriorityFeePerGas: max(current.maxPriorityFeePerGas, raise(last.maxPriorityFeePerGas)),
    };
    return fees.maxFeePerGas <= MAX_FEE_PER_GAS ? fees : undefined;
  }

  async function lookAtBalance(): Promise<void> {
    const { maxFeePerGas } = await currentFees(await readHead(node));
    balance.wei = await node.getBalance({ address: sender.address });
    balance.askedAt = Date.now();
    const price = BigInt(Math.ceil(gasPerRegistration())) * maxFeePerGas;
    const low = balance.wei < LOW_BALANCE_REGISTRATIONS * price;
    if (low && !balance.low) {
      log(
        'warn',
        { address: account.address, wei: String(balance.wei) },
        'chain: the balance of the writing key is low',
      );
    }
    balance.low = low;
  }

  function gasPerRegistration(): number {
    const gasOfOneInABatch = 53_000;
    return gas.registrations === 0n ? gasOfOneInABatch : Number(gas.used / gas.registrations);
  }

  /** The lowest block that counts as deep enough. */
  function deepBlock(head: Head): bigint {
    return max(0n, head.number - BigInt(confirmations) + 1n);
  }

  function noteOf({ id }: ChainTransaction): Notes {
    const note = notes.get(id) ?? {};
    notes.set(id, note);
    return note;
  }

  return {
    wake: () => wake(),
    report: () => ({
      transactions: { ...outcomes },
      gasPerRegistration: gas.registrations === 0n ? 0 : gasPerRegistration(),
      balance: balance.wei,
      lowBalance: balance.low || outOfFunds,
    }),
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}

function idOf({ id }: ChainTransaction): string {
  return id;
}

type Fees = Pick<NewAttempt, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

function takenByAnother({ artifactId }: WaitingRegistration) {
  return { artifactId, reason: 'The registry contract has this fingerprint under another id.' };
}

function merge(one: Outcome, two: Outcome): Outcome {
  return { ...one, ...two, submitted: [...(one.submitted ?? []), ...(two.submitted ?? [])] };
}

function retryDelay(attempts: number): number {
  return Math.min(1_000 * 2 ** Math.min(attempts, 16), MAX_RETRY_DELAY_MS);
}

/** A UUID's text as the sixteen bytes that the contract keeps. */
function bytes16(uuid: string): Hex {
  return `0x${uuid.replaceAll('-', '')}`;
}

function lower(address: string): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

function max(one: bigint, two: bigint): bigint {
  return one > two ? one : two;
}

function textOf(fees: Fees) {
  return { maxFeePerGas: String(fees.maxFeePerGas), maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas) };
}
