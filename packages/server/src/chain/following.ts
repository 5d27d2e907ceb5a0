// Follows transactions from the moment that they are written down until they are deep enough in the chain, or until
// their nonce has gone to something else for good.

import type { ChainTransaction } from '../registry/ports.js';
import { blockHashAt, type Head, type Receipt, receiptOf } from './node.js';
import type { Outgoing } from './outgoing.js';
import { deepBlock, type Submission } from './submission.js';
import { registeredIn, type Verdicts } from './verdicts.js';

export interface Following {
  /** Lowest nonce first. True when one of them came to an end. */
  follow(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<boolean>;
  /** Undefined until a transaction of this process was mined. */
  gasPerRegistration(): number | undefined;
}

export function createFollowing(submission: Submission, outgoing: Outgoing, verdicts: Verdicts): Following {
  const { queue, node, registry, sender, lease, times, notes, outcomes, log } = submission;
  const gas = { used: 0n, registrations: 0n };

  async function follow(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<boolean> {
    let moved = false;
    for (const transaction of open) {
      if (transaction.nonce >= nonce) await outgoing.sendAgain(transaction, head, transaction.nonce === nonce);
      else if (await conclude(transaction, head)) moved = true;
    }
    return moved;
  }

  /** Its nonce is used: by one of its attempts, or by something else. True when that is certain. */
  async function conclude(transaction: ChainTransaction, head: Head): Promise<boolean> {
    const receipt = await findReceipt(transaction);
    if (!receipt) return await settleLost(transaction, head);
    const note = notes.of(transaction.nonce);
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

  async function isDeepEnough({ blockNumber, blockHash }: Receipt, head: Head): Promise<boolean> {
    if (blockNumber > deepBlock(submission, head)) return false;
    const canonical = blockNumber === head.number ? head.hash : await blockHashAt(node, blockNumber);
    // Otherwise the node's answers are from two moments, or from two nodes: the next look will tell.
    return canonical === blockHash;
  }

  async function settleMined({ id, nonce, registrations }: ChainTransaction, receipt: Receipt): Promise<void> {
    const { transactionHash, blockNumber: number, blockHash: hash } = receipt;
    const registered = registeredIn(receipt, registry);
    const landed = registrations.filter(({ fingerprint }) => registered.has(fingerprint));
    const missing = registrations.filter(({ fingerprint }) => !registered.has(fingerprint));
    const reverted = receipt.status !== 'success';
    await queue.settle(lease, {
      ...(await verdicts.judge(missing, reverted ? 'the transaction was reverted' : 'the transaction left it out')),
      submitted: landed.map(({ artifactId }) => ({ artifactId, transactionHash })),
      transaction: { id, block: landed.length > 0 ? { number, hash } : undefined },
    });
    notes.forget(nonce);
    outcomes[reverted ? 'reverted' : 'confirmed'] += 1;
    gas.used += receipt.gasUsed;
    gas.registrations += BigInt(landed.length);
    log('info', { transactionHash, registered: landed.length, missing: missing.length }, 'chain: transaction settled');
  }

  /** Not by one of its attempts, as far as can be seen. */
  async function settleLost({ id, nonce, registrations }: ChainTransaction, head: Head): Promise<boolean> {
    const note = notes.of(nonce);
    note.lostSince ??= performance.now();
    if (performance.now() - note.lostSince < times.lostMs) return false;
    const blockNumber = deepBlock(submission, head);
    const deepNonce = await node.getTransactionCount({ address: sender.address, blockNumber });
    if (deepNonce <= nonce) return false;
    log('warn', { nonce }, 'chain: another transaction took the nonce');
    const outcome = await verdicts.judge(registrations, 'another transaction took its nonce');
    await queue.settle(lease, { ...outcome, transaction: { id, block: undefined } });
    notes.forget(nonce);
    outcomes.lost += 1;
    return true;
  }

  return {
    follow,
    gasPerRegistration: () => (gas.registrations === 0n ? undefined : Number(gas.used / gas.registrations)),
  };
}
