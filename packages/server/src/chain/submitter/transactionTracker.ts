// Tracks recorded transactions until they are confirmed, or until something else has used their nonce for good.

import {
  findAnchorsIn,
  type Head,
  type Receipt,
  readBlock,
  readReceipt,
  readTransactionCount,
  registeredFingerprints,
} from '@provenance-registry/chain-client';
import type { ChainTransaction, RegistrationOutcome } from '../../domain/ports/index.js';
import type { RegistrationOutcomes } from './registrationOutcomes.js';
import { confirmedBlock, type SubmitterContext } from './state.js';
import type { TransactionSender } from './transactionSender.js';

/** What the node has for a transaction whose nonce is used. */
export interface TransactionReceipt {
  readonly transaction: ChainTransaction;
  readonly receipt: Receipt | undefined;
  readonly isConfirmed: boolean;
}

/** How a transaction ended, and what the state records once that is in the database. */
interface TransactionEnd {
  readonly outcome: RegistrationOutcome;
  readonly recordInState: () => void;
}

export class TransactionTracker {
  constructor(
    private readonly context: SubmitterContext,
    private readonly transactionSender: TransactionSender,
    private readonly registrationOutcomes: RegistrationOutcomes,
  ) {}

  /** Reads the receipts of all transactions whose nonces are used, in shared requests. */
  fetchReceipts(open: readonly ChainTransaction[], head: Head, nonce: number): Promise<TransactionReceipt[]> {
    const used = open.filter((transaction) => transaction.nonce < nonce);
    return Promise.all(
      used.map(async (transaction) => {
        const receipt = await this.#findReceipt(transaction);
        return { transaction, receipt, isConfirmed: receipt !== undefined && (await this.#isConfirmed(receipt, head)) };
      }),
    );
  }

  /** Settles the transactions that have ended, and resends unmined ones, lowest nonce first. True when any ended. */
  async settleAndResend(
    receipts: readonly TransactionReceipt[],
    unmined: readonly ChainTransaction[],
    head: Head,
    nonce: number,
  ): Promise<boolean> {
    const { queue, lease } = this.context;
    const ends = (await Promise.all(receipts.map((receipt) => this.#findEnd(receipt, head)))).filter(
      (end) => end !== undefined,
    );
    if (ends.length > 0) await queue.settle(lease, mergeOutcomes(ends.map(({ outcome }) => outcome)));
    for (const { recordInState } of ends) recordInState();
    for (const transaction of unmined) {
      await this.transactionSender.resendIfDue(transaction, head, transaction.nonce === nonce);
    }
    return ends.length > 0;
  }

  /** Undefined while it is not certain. */
  async #findEnd(
    { transaction, receipt, isConfirmed }: TransactionReceipt,
    head: Head,
  ): Promise<TransactionEnd | undefined> {
    const { state } = this.context;
    if (!receipt) return await this.#endOfLost(transaction, head);
    const nonceState = state.nonce(transaction.nonce);
    nonceState.wasMined = true;
    delete nonceState.missingSince;
    return isConfirmed ? await this.#endOfMined(transaction, receipt) : undefined;
  }

  async #findReceipt({ attempts }: ChainTransaction): Promise<Receipt | undefined> {
    const { node } = this.context;
    for (const { hash } of attempts.toReversed()) {
      const receipt = await readReceipt(node, hash);
      if (receipt) return receipt;
    }
    return undefined;
  }

  async #isConfirmed({ blockNumber, blockHash }: Receipt, head: Head): Promise<boolean> {
    const { node } = this.context;
    if (blockNumber > confirmedBlock(this.context, head)) return false;
    const canonicalHash = blockNumber === head.number ? head.hash : (await readBlock(node, blockNumber))?.hash;
    // They differ when the results are of different moments, or of different nodes: the next step decides.
    return canonicalHash === blockHash;
  }

  async #endOfMined(transaction: ChainTransaction, receipt: Receipt): Promise<TransactionEnd> {
    const { registry, anchoring, state, log, tracer } = this.context;
    const { id, nonce, registrations, createdAt: startedAt } = transaction;
    const isAnchored = anchoring !== undefined && findAnchorsIn(receipt.logs, anchoring.contract).length > 0;
    const { transactionHash, blockNumber: number, blockHash: hash } = receipt;
    const fingerprints = registeredFingerprints(receipt.logs, registry);
    const registered = registrations.filter(({ fingerprint }) => fingerprints.has(fingerprint));
    const missing = registrations.filter(({ fingerprint }) => !fingerprints.has(fingerprint));
    const reason = receipt.isSuccess ? 'the transaction did not register it' : 'the transaction was reverted';
    const outcome = {
      ...(await this.registrationOutcomes.decideWithoutTransaction(missing, reason)),
      submitted: registered.map(({ artifactId }) => ({ artifactId, transactionHash })),
      transactions: [{ id, block: registered.length > 0 || isAnchored ? { number, hash } : undefined }],
    };
    function recordInState(): void {
      state.forgetNonce(nonce);
      state.outcomes[receipt.isSuccess ? 'confirmed' : 'reverted'] += 1;
      // Anchors register nothing.
      if (registrations.length > 0) state.countGas(receipt.gasUsed, registered.length);
      const details = { transactionHash, registered: registered.length, missing: missing.length };
      log('info', details, 'chain: transaction settled');
      tracer?.recordStep('chain confirm', { registrations: registered, startedAt, transactionHash });
    }
    return { outcome, recordInState };
  }

  /** None of its attempts has a receipt, although its nonce is used. Undefined while one may still appear. */
  async #endOfLost({ id, nonce, registrations }: ChainTransaction, head: Head): Promise<TransactionEnd | undefined> {
    const { node, sender, times, state, log } = this.context;
    const nonceState = state.nonce(nonce);
    nonceState.missingSince ??= performance.now();
    if (performance.now() - nonceState.missingSince < times.lostMs) return undefined;
    const confirmedNonce = await readTransactionCount(node, sender.address, confirmedBlock(this.context, head));
    if (confirmedNonce <= nonce) return undefined;
    log('warn', { nonce }, 'chain: another transaction used the nonce');
    const outcome = {
      ...(await this.registrationOutcomes.decideWithoutTransaction(
        registrations,
        'another transaction used its nonce',
      )),
      transactions: [{ id, block: undefined }],
    };
    function recordInState(): void {
      state.forgetNonce(nonce);
      state.outcomes.lost += 1;
    }
    return { outcome, recordInState };
  }
}

function mergeOutcomes(outcomes: readonly RegistrationOutcome[]): RegistrationOutcome {
  return {
    transactions: outcomes.flatMap(({ transactions = [] }) => transactions),
    submitted: outcomes.flatMap(({ submitted = [] }) => submitted),
    retries: outcomes.flatMap(({ retries = [] }) => retries),
    failed: outcomes.flatMap(({ failed = [] }) => failed),
  };
}
