// Signs transactions, records them in the database, then sends them; resends and replaces them until they are mined.

import { type Head, JsonRpcError, nodeErrorMessage, sendRawTransaction } from '@provenance-registry/chain-client';
import { parseTransaction } from 'viem';
import type { ChainTransaction, Hex, NewAttempt, WaitingRegistration } from '../../domain/ports/index.js';
import { currentFees, type Fees, replacementFees } from './fees.js';
import { signTransaction } from './signTransaction.js';
import type { NonceState, SubmitterContext } from './state.js';

/** EIP-7825. */
const MAX_TRANSACTION_GAS = 16_777_216n;
const PLAIN_TRANSFER_GAS = 21_000n;

const alreadyKnownMessage = /already known|known transaction|already imported|already in/i;
const outOfFundsMessage = /insufficient funds|enough funds|insufficient balance/i;

export interface Call {
  readonly recipient: Hex;
  readonly calldata: Hex;
  readonly gas: bigint;
}

export function maxTransactionGas(head: Head): bigint {
  return head.gasLimit < MAX_TRANSACTION_GAS ? head.gasLimit : MAX_TRANSACTION_GAS;
}

export class TransactionSender {
  readonly #context: SubmitterContext;
  readonly #emptyCall: Call;

  constructor(context: SubmitterContext) {
    this.#context = context;
    this.#emptyCall = { recipient: context.sender.address, calldata: '0x', gas: PLAIN_TRANSFER_GAS };
  }

  /** Records the transaction with its registrations; the result sends it. */
  async record(nonce: number, call: Call, registrations: readonly WaitingRegistration[], fees: Fees) {
    const { queue, sender, lease, state } = this.#context;
    const startedAt = new Date();
    const artifactIds = registrations.map(({ artifactId }) => artifactId);
    const attempt = await this.#sign(nonce, call, fees);
    await queue.assign(lease, { sender, nonce, recipient: call.recipient, gas: call.gas, attempt }, artifactIds);
    return async () => {
      await this.#send(attempt.raw, state.nonce(nonce));
      this.#context.tracer?.recordStep('chain submit', { registrations, startedAt, transactionHash: attempt.hash });
    };
  }

  /** Uses up a nonce that no transaction has: nothing after it would be mined. */
  async fillNonceGap(nonce: number, head: Head): Promise<void> {
    const { node } = this.#context;
    const sendRecorded = await this.record(nonce, this.#emptyCall, [], await currentFees(node, head));
    await sendRecorded();
  }

  /** Resends or replaces it when it is due. Only the next nonce is replaced: later ones may be waiting for it. */
  async resendIfDue(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void> {
    const { queue, node, times, state, log } = this.#context;
    const newest = newestOf(transaction.attempts);
    const nonceState = state.nonce(transaction.nonce);
    const now = performance.now();
    nonceState.newestAttemptSince ??= now;
    if (nonceState.wasMined) {
      nonceState.wasMined = false;
      delete nonceState.sentAt;
      state.outcomes.reorganised += 1;
      log('warn', { nonce: transaction.nonce }, 'chain: a reorganization removed an unconfirmed transaction');
    }
    if (isNext && now - nonceState.newestAttemptSince > times.stuckMs && !state.isOutOfFunds) {
      const fees = await replacementFees(node, newest, head);
      if (fees) return await this.#replace(transaction, fees, head, nonceState);
    }
    const isDue = nonceState.sentAt === undefined || now - nonceState.sentAt > times.resendMs;
    if (isDue) await this.#send(newestOf(await queue.listSignedAttempts(transaction.id)), nonceState);
  }

  async #replace(transaction: ChainTransaction, fees: Fees, head: Head, nonceState: NonceState): Promise<void> {
    const { queue, lease, state, log } = this.#context;
    const { id, nonce, recipient, gas } = transaction;
    // When blocks have become too small for it, no price helps: an empty transaction takes the nonce.
    const fits = gas <= maxTransactionGas(head);
    const call = fits ? { recipient, gas, calldata: await this.#readCalldata(id) } : this.#emptyCall;
    const attempt = await this.#sign(nonce, call, fees);
    nonceState.newestAttemptSince = performance.now();
    await queue.addAttempt(lease, id, attempt);
    state.outcomes.replaced += 1;
    log('info', { nonce, fits, maxFeePerGas: String(fees.maxFeePerGas) }, 'chain: replaced a stuck transaction');
    await this.#send(attempt.raw, nonceState);
  }

  /** Reads the calldata of the first attempt: a later one may be empty. */
  async #readCalldata(transactionId: string): Promise<Hex> {
    const { queue } = this.#context;
    const [first] = await queue.listSignedAttempts(transactionId);
    return first ? (parseTransaction(first).data ?? '0x') : '0x';
  }

  /** An error of the node is only logged: the receipt decides. Throws when the node is unavailable. */
  async #send(raw: Hex, nonceState: NonceState): Promise<void> {
    const { node, state } = this.#context;
    delete nonceState.sentAt;
    try {
      await sendRawTransaction(node, raw);
      state.isOutOfFunds = false;
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      this.#handleRejection(nodeErrorMessage(error));
    }
    nonceState.sentAt = performance.now();
  }

  #handleRejection(reason: string): void {
    const { state, log, account } = this.#context;
    if (alreadyKnownMessage.test(reason)) state.isOutOfFunds = false;
    else if (!outOfFundsMessage.test(reason)) log('warn', { reason }, 'chain: the node rejected a transaction');
    else if (!state.isOutOfFunds) {
      state.isOutOfFunds = true;
      log('warn', { address: account.address }, 'chain: the writing key has no funds');
    }
  }

  async #sign(nonce: number, { recipient, calldata, gas }: Call, fees: Fees): Promise<NewAttempt> {
    const { chainId, account } = this.#context;
    const signed = await signTransaction(account, {
      type: 'eip1559',
      chainId,
      nonce,
      to: recipient,
      data: calldata,
      gas,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    return { ...signed, ...fees };
  }
}

function newestOf<T>(attempts: readonly T[]): T {
  const newest = attempts.at(-1);
  if (newest === undefined) throw new Error('a transaction is recorded without an attempt');
  return newest;
}
