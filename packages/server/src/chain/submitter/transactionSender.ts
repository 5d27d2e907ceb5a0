// Transactions on their way out: signed, written down, then sent; sent again, and replaced by one that pays more, for as
// long as they are not mined.

import { type Head, JsonRpcError, nodeErrorMessage, sendRawTransaction } from '@provenance-registry/chain-client';
import { parseTransaction } from 'viem';
import type { ChainTransaction, Hex, NewAttempt } from '../../domain/ports/index.js';
import { currentFees, type Fees, raisedFees } from './fees.js';
import { signTransaction } from './signing.js';
import type { Notes, Submission } from './state.js';

/** EIP-7825. */
const MAX_TRANSACTION_GAS = 16_777_216n;
const PLAIN_TRANSFER_GAS = 21_000n;

const alreadyThere = /already known|known transaction|already imported|already in/i;
const withoutFunds = /insufficient funds|enough funds|insufficient balance/i;

export interface Call {
  readonly recipient: Hex;
  readonly calldata: Hex;
  readonly gas: bigint;
}

export interface Outgoing {
  /** Written down with the Artifacts that it registers; the answer sends it. */
  writeDown(nonce: number, call: Call, artifactIds: readonly string[], fees: Fees): Promise<() => Promise<void>>;
  /** Takes a nonce, and does nothing. */
  dispatchNothing(nonce: number, head: Head): Promise<void>;
  /** Whatever it needs to be mined. Only the next nonce is replaced: the others may just be waiting for it. */
  sendAgain(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void>;
  isOutOfFunds(): boolean;
}

export function maxGas(head: Head): bigint {
  return head.gasLimit < MAX_TRANSACTION_GAS ? head.gasLimit : MAX_TRANSACTION_GAS;
}

export function createOutgoing(submission: Submission): Outgoing {
  const { queue, node, chainId, account, sender, lease, times, notes, outcomes, log } = submission;
  const nothing: Call = { recipient: sender.address, calldata: '0x', gas: PLAIN_TRANSFER_GAS };
  let outOfFunds = false;

  async function writeDown(nonce: number, call: Call, artifactIds: readonly string[], fees: Fees) {
    const attempt = await sign(nonce, call, fees);
    await queue.assign(lease, { sender, nonce, recipient: call.recipient, gas: call.gas, attempt }, artifactIds);
    return () => send(attempt.raw, notes.of(nonce));
  }

  async function dispatchNothing(nonce: number, head: Head): Promise<void> {
    const send = await writeDown(nonce, nothing, [], await currentFees(node, head));
    await send();
  }

  async function sendAgain(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void> {
    const newest = newestOf(transaction.attempts);
    const note = notes.of(transaction.nonce);
    const now = performance.now();
    note.newestSince ??= now;
    if (isNext && now - note.newestSince > times.stuckMs && !outOfFunds) {
      const fees = await raisedFees(node, newest, head);
      if (fees) return await replace(transaction, fees, head, note);
    }
    const silent = note.sentAt === undefined || now - note.sentAt > times.resendMs;
    if (silent || note.wasMined) await send(newestOf(await queue.signed(transaction.id)), note);
    note.wasMined = false;
  }

  async function replace(transaction: ChainTransaction, fees: Fees, head: Head, note: Notes): Promise<void> {
    const { id, nonce, recipient, gas } = transaction;
    // A block that has become too small for it will not take it for any price: the nonce is given up for nothing.
    const fits = gas <= maxGas(head);
    const attempt = await sign(nonce, fits ? { recipient, gas, calldata: await calldataOf(id) } : nothing, fees);
    note.newestSince = performance.now();
    await queue.addAttempt(lease, id, attempt);
    outcomes.replaced += 1;
    log('info', { nonce, fits, maxFeePerGas: String(fees.maxFeePerGas) }, 'chain: a stuck transaction is replaced');
    await send(attempt.raw, note);
  }

  /** As it was signed first: a later attempt may have been for nothing. */
  async function calldataOf(transactionId: string): Promise<Hex> {
    const [first] = await queue.signed(transactionId);
    return first ? (parseTransaction(first).data ?? '0x') : '0x';
  }

  /** Whatever the node answers: the receipt decides. Without an answer the node is away, and all else can wait. */
  async function send(raw: Hex, note: Notes): Promise<void> {
    delete note.sentAt;
    try {
      await sendRawTransaction(node, raw);
      outOfFunds = false;
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      const complaint = nodeErrorMessage(error);
      if (alreadyThere.test(complaint)) outOfFunds = false;
      else if (!withoutFunds.test(complaint)) log('warn', { reason: complaint }, 'chain: a transaction is not taken');
      else if (!outOfFunds) {
        outOfFunds = true;
        log('warn', { address: account.address }, 'chain: the writing key has no funds');
      }
    }
    note.sentAt = performance.now();
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

  return {
    writeDown,
    dispatchNothing,
    sendAgain,
    isOutOfFunds: () => outOfFunds,
  };
}

/** A transaction is never written down without one. */
function newestOf<T>(attempts: readonly T[]): T {
  const newest = attempts.at(-1);
  if (newest === undefined) throw new Error('a transaction was written down without an attempt');
  return newest;
}
