// Transactions on their way out: signed, written down, then sent; sent again, and replaced by one that pays more, for as
// long as they are not mined.

import { keccak256 } from 'viem';
import type { ChainTransaction, Hex, NewAttempt } from '../registry/ports.js';
import { currentFees, type Fees, raisedFees } from './fees.js';
import { complaintOf, type Head, isAnswer } from './node.js';
import type { Notes, Submission } from './submission.js';

/** EIP-7825. */
const MAX_TRANSACTION_GAS = 16_777_216n;
const PLAIN_TRANSFER_GAS = 21_000n;

const alreadyThere = /already known|known transaction|already imported|already in/i;
const withoutFunds = /insufficient funds|enough funds|insufficient balance/i;

export type Call = Pick<ChainTransaction, 'recipient' | 'calldata' | 'gas'>;

export interface Outgoing {
  /** Written down with the Artifacts that it registers, then sent. */
  dispatch(nonce: number, call: Call, artifactIds: readonly string[], fees: Fees): Promise<void>;
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

  async function dispatch(nonce: number, call: Call, artifactIds: readonly string[], fees: Fees): Promise<void> {
    const attempt = await sign(nonce, call, fees);
    await queue.assign(lease, { sender, nonce, ...call, attempt }, artifactIds);
    await send(attempt.raw, notes.of(nonce));
  }

  async function sendAgain(transaction: ChainTransaction, head: Head, isNext: boolean): Promise<void> {
    const newest = transaction.attempts.at(-1);
    if (!newest) throw new Error(`transaction ${transaction.nonce} was written down without an attempt`);
    const note = notes.of(transaction.nonce);
    const now = performance.now();
    note.newestSince ??= now;
    if (isNext && now - note.newestSince > times.stuckMs && !outOfFunds) {
      const fees = await raisedFees(node, newest, head);
      if (fees) return await replace(transaction, fees, head, note);
    }
    const silent = note.sentAt === undefined || now - note.sentAt > times.resendMs;
    if (silent || note.wasMined) await send(newest.raw, note);
    note.wasMined = false;
  }

  async function replace({ id, nonce, ...call }: ChainTransaction, fees: Fees, head: Head, note: Notes): Promise<void> {
    // A block that has become too small for it will not take it for any price: the nonce is given up for nothing.
    const fits = call.gas <= maxGas(head);
    const attempt = await sign(nonce, fits ? call : nothing, fees);
    note.newestSince = performance.now();
    await queue.addAttempt(lease, id, attempt);
    outcomes.replaced += 1;
    log('info', { nonce, fits, maxFeePerGas: String(fees.maxFeePerGas) }, 'chain: a stuck transaction is replaced');
    await send(attempt.raw, note);
  }

  /** Whatever the node answers: the receipt decides. Without an answer the node is away, and all else can wait. */
  async function send(raw: Hex, note: Notes): Promise<void> {
    delete note.sentAt;
    try {
      await node.sendRawTransaction({ serializedTransaction: raw });
      outOfFunds = false;
    } catch (error) {
      if (!isAnswer(error)) throw error;
      const complaint = complaintOf(error);
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
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      to: recipient,
      data: calldata,
      gas,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    return { hash: keccak256(raw), raw, ...fees };
  }

  return {
    dispatch,
    dispatchNothing: async (nonce, head) => dispatch(nonce, nothing, [], await currentFees(node, head)),
    sendAgain,
    isOutOfFunds: () => outOfFunds,
  };
}
