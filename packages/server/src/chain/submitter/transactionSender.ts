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

export interface TransactionSender {
  /** Records the transaction with its registrations; the result sends it. */
  record(
    nonce: number,
    call: Call,
    registrations: readonly WaitingRegistration[],
    fees: Fees,
  ): Promise<() => Promise<void>>;
  /** Uses up a nonce that no transaction has: nothing after it would be mined. */
  fillNonceGap(nonce: number, head: Head): Promise<void>;
  /** Resends or replaces it when it is due. Only the next nonce is replaced: later ones may be waiting for it. */
  resendIfDue(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void>;
}

export function maxTransactionGas(head: Head): bigint {
  return head.gasLimit < MAX_TRANSACTION_GAS ? head.gasLimit : MAX_TRANSACTION_GAS;
}

export function createTransactionSender(context: SubmitterContext): TransactionSender {
  const { queue, node, chainId, account, sender, lease, times, state, log } = context;
  const emptyCall: Call = { recipient: sender.address, calldata: '0x', gas: PLAIN_TRANSFER_GAS };

  async function record(nonce: number, call: Call, registrations: readonly WaitingRegistration[], fees: Fees) {
    const startedAt = new Date();
    const artifactIds = registrations.map(({ artifactId }) => artifactId);
    const attempt = await sign(nonce, call, fees);
    await queue.assign(lease, { sender, nonce, recipient: call.recipient, gas: call.gas, attempt }, artifactIds);
    return async () => {
      await send(attempt.raw, state.nonce(nonce));
      context.tracer?.recordStep('chain submit', { registrations, startedAt, transactionHash: attempt.hash });
    };
  }

  async function fillNonceGap(nonce: number, head: Head): Promise<void> {
    const sendRecorded = await record(nonce, emptyCall, [], await currentFees(node, head));
    await sendRecorded();
  }

  async function resendIfDue(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void> {
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
      if (fees) return await replace(transaction, fees, head, nonceState);
    }
    const isDue = nonceState.sentAt === undefined || now - nonceState.sentAt > times.resendMs;
    if (isDue) await send(newestOf(await queue.listSignedAttempts(transaction.id)), nonceState);
  }

  async function replace(transaction: ChainTransaction, fees: Fees, head: Head, nonceState: NonceState): Promise<void> {
    const { id, nonce, recipient, gas } = transaction;
    // When blocks have become too small for it, no price helps: an empty transaction takes the nonce.
    const fits = gas <= maxTransactionGas(head);
    const call = fits ? { recipient, gas, calldata: await readCalldata(id) } : emptyCall;
    const attempt = await sign(nonce, call, fees);
    nonceState.newestAttemptSince = performance.now();
    await queue.addAttempt(lease, id, attempt);
    state.outcomes.replaced += 1;
    log('info', { nonce, fits, maxFeePerGas: String(fees.maxFeePerGas) }, 'chain: replaced a stuck transaction');
    await send(attempt.raw, nonceState);
  }

  /** From the first attempt: a later one may be empty. */
  async function readCalldata(transactionId: string): Promise<Hex> {
    const [first] = await queue.listSignedAttempts(transactionId);
    return first ? (parseTransaction(first).data ?? '0x') : '0x';
  }

  /** An error of the node is only logged: the receipt decides. Throws when the node is unavailable. */
  async function send(raw: Hex, nonceState: NonceState): Promise<void> {
    delete nonceState.sentAt;
    try {
      await sendRawTransaction(node, raw);
      state.isOutOfFunds = false;
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      handleRejection(nodeErrorMessage(error));
    }
    nonceState.sentAt = performance.now();
  }

  function handleRejection(reason: string): void {
    if (alreadyKnownMessage.test(reason)) state.isOutOfFunds = false;
    else if (!outOfFundsMessage.test(reason)) log('warn', { reason }, 'chain: the node rejected a transaction');
    else if (!state.isOutOfFunds) {
      state.isOutOfFunds = true;
      log('warn', { address: account.address }, 'chain: the writing key has no funds');
    }
  }

  async function sign(nonce: number, { recipient, calldata, gas }: Call, fees: Fees): Promise<NewAttempt> {
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

  return { record, fillNonceGap, resendIfDue };
}

function newestOf<T>(attempts: readonly T[]): T {
  const newest = attempts.at(-1);
  if (newest === undefined) throw new Error('a transaction is recorded without an attempt');
  return newest;
}
