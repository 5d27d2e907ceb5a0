// Follows transactions from the moment that they are written down until they are deep enough in the chain, or until
// their nonce has gone to something else for good.

import {
  type Head,
  type Receipt,
  readBlock,
  readReceipt,
  readTransactionCount,
  registeredFingerprints,
} from '@provenance-registry/chain-client';
import type { ChainTransaction, Outcome } from '../../domain/ports/index.js';
import type { Verdicts } from './outcomeResolver.js';
import { deepBlock, type Submission } from './state.js';
import type { Outgoing } from './transactionSender.js';

/** What the node has of a transaction whose nonce is used. */
export interface Sighting {
  readonly transaction: ChainTransaction;
  readonly receipt: Receipt | undefined;
  readonly isDeep: boolean;
}

/** How a transaction ended, and what is to be noted here once that is written down. */
interface End {
  readonly outcome: Outcome;
  readonly settled: () => void;
}

export interface Following {
  /** What the node has of those whose nonces are used, all asked for together. */
  look(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<Sighting[]>;
  /** Lowest nonce first. True when one of them came to an end. */
  follow(seen: readonly Sighting[], unmined: readonly ChainTransaction[], head: Head, nonce: number): Promise<boolean>;
  /** Undefined until a transaction of this process was mined. */
  gasPerRegistration(): number | undefined;
}

export function createFollowing(submission: Submission, outgoing: Outgoing, verdicts: Verdicts): Following {
  const { queue, node, registry, sender, lease, times, notes, outcomes, log } = submission;
  const gas = { used: 0n, registrations: 0n };

  function look(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<Sighting[]> {
    const used = open.filter((transaction) => transaction.nonce < nonce);
    return Promise.all(
      used.map(async (transaction) => {
        const receipt = await findReceipt(transaction);
        return { transaction, receipt, isDeep: receipt !== undefined && (await isDeepEnough(receipt, head)) };
      }),
    );
  }

  async function follow(
    seen: readonly Sighting[],
    unmined: readonly ChainTransaction[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const ends = (await Promise.all(seen.map((sighting) => conclude(sighting, head)))).filter(
      (end) => end !== undefined,
    );
    if (ends.length > 0) await queue.settle(lease, together(ends.map(({ outcome }) => outcome)));
    for (const { settled } of ends) settled();
    for (const transaction of unmined) {
      await outgoing.sendAgain(transaction, head, transaction.nonce === nonce);
    }
    return ends.length > 0;
  }

  /** Its nonce is used: by one of its attempts, or by something else. Undefined while that is not certain. */
  async function conclude({ transaction, receipt, isDeep }: Sighting, head: Head): Promise<End | undefined> {
    if (!receipt) return await lost(transaction, head);
    const note = notes.of(transaction.nonce);
    note.wasMined = true;
    delete note.lostSince;
    return isDeep ? await mined(transaction, receipt) : undefined;
  }

  async function findReceipt({ attempts }: ChainTransaction): Promise<Receipt | undefined> {
    for (const { hash } of attempts.toReversed()) {
      const receipt = await readReceipt(node, hash);
      if (receipt) return receipt;
    }
    return undefined;
  }

  async function isDeepEnough({ blockNumber, blockHash }: Receipt, head: Head): Promise<boolean> {
    if (blockNumber > deepBlock(submission, head)) return false;
    const canonical = blockNumber === head.number ? head.hash : (await readBlock(node, blockNumber))?.hash;
    // Otherwise the node's answers are from two moments, or from two nodes: the next look will tell.
    return canonical === blockHash;
  }

  async function mined({ id, nonce, registrations }: ChainTransaction, receipt: Receipt): Promise<End> {
    const { transactionHash, blockNumber: number, blockHash: hash } = receipt;
    const registered = registeredFingerprints(receipt.logs, registry);
    const landed = registrations.filter(({ fingerprint }) => registered.has(fingerprint));
    const missing = registrations.filter(({ fingerprint }) => !registered.has(fingerprint));
    const reverted = !receipt.isSuccess;
    const outcome = {
      ...(await verdicts.judge(missing, reverted ? 'the transaction was reverted' : 'the transaction left it out')),
      submitted: landed.map(({ artifactId }) => ({ artifactId, transactionHash })),
      transactions: [{ id, block: landed.length > 0 ? { number, hash } : undefined }],
    };
    function settled(): void {
      notes.forget(nonce);
      outcomes[reverted ? 'reverted' : 'confirmed'] += 1;
      gas.used += receipt.gasUsed;
      gas.registrations += BigInt(landed.length);
      log(
        'info',
        { transactionHash, registered: landed.length, missing: missing.length },
        'chain: transaction settled',
      );
    }
    return { outcome, settled };
  }

  /** Not by one of its attempts, as far as can be seen. */
  async function lost({ id, nonce, registrations }: ChainTransaction, head: Head): Promise<End | undefined> {
    const note = notes.of(nonce);
    note.lostSince ??= performance.now();
    if (performance.now() - note.lostSince < times.lostMs) return undefined;
    const blockNumber = deepBlock(submission, head);
    const deepNonce = await readTransactionCount(node, sender.address, blockNumber);
    if (deepNonce <= nonce) return undefined;
    log('warn', { nonce }, 'chain: another transaction took the nonce');
    const verdict = await verdicts.judge(registrations, 'another transaction took its nonce');
    function settled(): void {
      notes.forget(nonce);
      outcomes.lost += 1;
    }
    return { outcome: { ...verdict, transactions: [{ id, block: undefined }] }, settled };
  }

  return {
    look,
    follow,
    gasPerRegistration: () => (gas.registrations === 0n ? undefined : Number(gas.used / gas.registrations)),
  };
}

function together(outcomes: readonly Outcome[]): Outcome {
  return {
    transactions: outcomes.flatMap(({ transactions = [] }) => transactions),
    submitted: outcomes.flatMap(({ submitted = [] }) => submitted),
    again: outcomes.flatMap(({ again = [] }) => again),
    failed: outcomes.flatMap(({ failed = [] }) => failed),
  };
}
