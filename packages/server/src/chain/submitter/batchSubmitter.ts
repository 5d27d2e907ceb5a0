// Puts waiting registrations into transactions: splits them into batches, estimates gas, and isolates registrations
// that the contract refuses.

import {
  encodeRegistrations,
  estimateGas,
  type Head,
  nodeErrorMessage,
  type Registration,
  revertReason,
} from '@provenance-registry/chain-client';
import type { ChainTransaction, Hex, WaitingRegistration } from '../../domain/ports/index.js';
import { registrantOf, userIdHashOf } from '../registrants.js';
import { currentFees, type Fees } from './fees.js';
import { type RegistrationOutcomes, toBytes16 } from './registrationOutcomes.js';
import { MAX_BATCH_SIZE, type SubmitterContext } from './state.js';
import { maxTransactionGas, type TransactionSender } from './transactionSender.js';

/** Unmined transactions with full batches at once. */
export const MAX_PENDING_TRANSACTIONS = 8;
/** Some nodes estimate too low, and the state may change until the transaction is mined. */
const GAS_MARGIN_PERCENT = 20n;
/** The size from which on the gas per registration of one batch is reused for the next. */
const LARGE_BATCH_SIZE = 50;
/** How long it is reused. */
const GAS_ESTIMATE_TTL_MS = 30_000;

/** Contract errors that concern all registrations and not one of them. */
const errorsOfEveryCall = new Set(['EnforcedPause', 'AccessControlUnauthorizedAccount']);
const tooMuchGasMessage = /out of gas|ran out of|gas limit|gas cap|exceeds.*gas|gas.*exceeds/i;

type Batch = readonly WaitingRegistration[];

export class BatchSubmitter {
  constructor(
    private readonly context: SubmitterContext,
    private readonly transactionSender: TransactionSender,
    private readonly registrationOutcomes: RegistrationOutcomes,
  ) {}

  /**
   * A few registrations are sent at once; while other transactions are pending, or one was just sent, only full batches
   * follow. True when something changed.
   */
  async submitWaiting(
    unmined: readonly ChainTransaction[],
    waiting: readonly WaitingRegistration[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const { state } = this.context;
    // Pending transactions are resent until the node accepts one: then there are funds again.
    if (state.isOutOfFunds && unmined.length > 0) return false;
    const nonces = freeNonces(nonce, unmined);
    const batches = this.#splitIntoBatches(waiting, unmined.length);
    if (batches.length > 0) return await this.#submitBatches(batches, head, nonces);
    const free = nonces.next().value;
    const isGap = unmined.some((transaction) => transaction.nonce > free);
    if (isGap) await this.transactionSender.fillNonceGap(free, head);
    return isGap;
  }

  #splitIntoBatches(waiting: readonly WaitingRegistration[], pending: number): Batch[] {
    const { state } = this.context;
    const { batchSize } = state;
    if (waiting.length < batchSize) {
      const maySend = waiting.length > 0 && pending === 0 && performance.now() >= state.partialBatchAfter;
      return maySend ? [waiting] : [];
    }
    const full = Math.min(MAX_PENDING_TRANSACTIONS - pending, Math.floor(waiting.length / batchSize));
    return Array.from({ length: Math.max(0, full) }, (_, index) =>
      waiting.slice(index * batchSize, (index + 1) * batchSize),
    );
  }

  /** Records the next transaction while the node receives the one before. */
  async #submitBatches(batches: readonly Batch[], head: Head, nonces: Iterator<number, never>): Promise<boolean> {
    const { node } = this.context;
    const fees = await currentFees(node, head);
    let sending = Promise.resolve();
    for (const batch of batches) {
      const recording = this.#recordBatch(batch, head, nonces, fees);
      await Promise.allSettled([recording, sending]);
      await sending;
      const send = await recording;
      if (typeof send === 'boolean') return send;
      sending = send();
    }
    await sending;
    return true;
  }

  /** The result sends the transaction; when there is none to send, it says whether something changed. */
  async #recordBatch(
    batch: Batch,
    head: Head,
    nonces: Iterator<number, never>,
    fees: Fees,
  ): Promise<(() => Promise<void>) | boolean> {
    const { registry, times, state } = this.context;
    if (await this.#recordAlreadyRegistered(batch, head)) return true;
    const calldata = encodeRegistrations(toContractRegistrations(batch, this.context.pseudonymSecret));
    let gas: bigint;
    try {
      gas = await this.#estimateBatchGas(calldata, batch.length);
    } catch (error) {
      return await this.#handleRefusal(error, batch);
    }
    if (gas > maxTransactionGas(head)) return await this.#handleTooMuchGas(batch);
    const call = { recipient: registry, calldata, gas };
    const send = await this.transactionSender.record(nonces.next().value, call, batch, fees);
    if (batch.length < state.batchSize) state.partialBatchAfter = performance.now() + times.gatherMs;
    state.batchSize = Math.min(2 * state.batchSize, MAX_BATCH_SIZE);
    return send;
  }

  /**
   * True when the contract has some of them. New registrations of large batches are not checked: the contract skips
   * what it has, and the receipt shows it.
   */
  async #recordAlreadyRegistered(batch: Batch, head: Head): Promise<boolean> {
    const isNew = ({ attempts, wasSubmitted }: WaitingRegistration) => attempts === 0 && !wasSubmitted;
    const unchecked = batch.length >= LARGE_BATCH_SIZE ? batch.filter((one) => !isNew(one)) : batch;
    if (unchecked.length === 0) return false;
    const classified = await this.registrationOutcomes.classifyByChainState(unchecked);
    if (classified.unregistered.length === unchecked.length) return false;
    await this.registrationOutcomes.recordFound(classified, head);
    return true;
  }

  /** Throws when the contract refuses the call. */
  async #estimateBatchGas(calldata: Hex, size: number): Promise<bigint> {
    const { node, registry, sender, state } = this.context;
    const count = BigInt(size);
    const { gasEstimate, outcomes } = state;
    // While a refused registration is being isolated, every batch is estimated.
    const mayReuse = size >= LARGE_BATCH_SIZE && state.batchSize === MAX_BATCH_SIZE;
    if (mayReuse && gasEstimate && performance.now() - gasEstimate.madeAt < GAS_ESTIMATE_TTL_MS) {
      if (gasEstimate.revertedBefore === outcomes.reverted) return gasEstimate.gasPerRegistration * count;
    }
    const estimated = await estimateGas(node, { from: sender.address, to: registry, data: calldata });
    const gas = estimated + (estimated * GAS_MARGIN_PERCENT) / 100n;
    if (mayReuse) {
      const gasPerRegistration = gas / count + 1n;
      state.gasEstimate = { gasPerRegistration, madeAt: performance.now(), revertedBefore: outcomes.reverted };
    }
    return gas;
  }

  async #handleRefusal(error: unknown, batch: Batch): Promise<boolean> {
    if (tooMuchGasMessage.test(nodeErrorMessage(error))) return await this.#handleTooMuchGas(batch);
    const reason = revertReason(error);
    if (reason === undefined) throw error;
    // One refused registration must not hold up the others.
    if (batch.length > 1 && !errorsOfEveryCall.has(reason)) return this.#halveBatchSize(batch.length);
    return await this.#giveUp(batch, `the registry contract refused it (${reason})`);
  }

  async #handleTooMuchGas(batch: Batch): Promise<boolean> {
    if (batch.length > 1) return this.#halveBatchSize(batch.length);
    return await this.#giveUp(batch, 'it needs more gas than a transaction may have');
  }

  #halveBatchSize(size: number): boolean {
    const { state } = this.context;
    state.batchSize = Math.max(1, Math.floor(size / 2));
    return true;
  }

  async #giveUp(batch: Batch, reason: string): Promise<boolean> {
    const { queue, lease, state, log } = this.context;
    log('warn', { reason, registrations: batch.length }, 'chain: not registered');
    await queue.settle(lease, await this.registrationOutcomes.decideWithoutTransaction(batch, reason));
    state.batchSize = MAX_BATCH_SIZE;
    return false;
  }
}

/** A batch usually has few users, and this hash is its slowest part. */
function toContractRegistrations(batch: Batch, pseudonymSecret: string): Registration[] {
  const hashes = new Map<string, Hex>();
  const hashOf = (registrant: string) => {
    const hash = hashes.get(registrant) ?? userIdHashOf(registrant);
    hashes.set(registrant, hash);
    return hash;
  };
  return batch.map(({ manifestId, fingerprint, manifestHash, userId, privateMarkId }) => ({
    fingerprint,
    manifestId: toBytes16(manifestId),
    manifestHash,
    userIdHash: hashOf(registrantOf(userId, privateMarkId, pseudonymSecret)),
  }));
}

/** Nonces that no transaction has, lowest first. */
export function* freeNonces(next: number, unmined: readonly ChainTransaction[]): Generator<number, never> {
  const used = new Set(unmined.map(({ nonce }) => nonce));
  for (let nonce = next; ; nonce += 1) if (!used.has(nonce)) yield nonce;
}
