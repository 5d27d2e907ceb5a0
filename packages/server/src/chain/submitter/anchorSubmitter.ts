// Anchors the public log in its contract: from time to time the head that is published, when it has grown. The transaction
// takes its nonce between those of registrations, and is recorded, resent and replaced as they are.

import {
  type Anchor,
  encodeAnchor,
  estimateGas,
  type Head,
  nodeErrorMessage,
  readAnchoredHead,
  readAnchors,
  readBlock,
  revertReason,
} from '@provenance-registry/chain-client';
import type { ChainTransaction, Hex, LogAnchor, LogContract, TreeSize } from '../../domain/ports/index.js';
import { findFirstBlock } from '../mirror/firstBlock.js';
import { currentFees } from './fees.js';
import { confirmedBlock, type LogAnchoring, type SubmitterContext } from './state.js';
import { maxTransactionGas, type TransactionSender } from './transactionSender.js';

/** Between two looks at the published log, each of which reads one file. */
const CHECK_MS = 5_000;
/** Some nodes estimate too low. */
const GAS_MARGIN_PERCENT = 20n;

const CONTRADICTION = 'the published log does not begin with what is anchored';

export interface AnchorReport {
  /** Since the block of the last anchor, while the log has grown since; 0 while it covers the log. */
  readonly ageSeconds: number;
  readonly intervalSeconds: number;
}

export class AnchorSubmitter {
  #checkAt = Number.NEGATIVE_INFINITY;
  #state: { readonly published: TreeSize; readonly last: LogAnchor | undefined } | undefined;
  /** When the log was seen to have no anchor yet, by the clock of days. */
  #unanchoredSince: number | undefined;
  #lastProblem: string | undefined;

  constructor(
    private readonly context: SubmitterContext,
    private readonly anchoring: LogAnchoring,
    private readonly transactionSender: TransactionSender,
  ) {}

  /** Looks at what is published, and returns whether an anchor is to be sent. */
  async isDue(open: readonly ChainTransaction[]): Promise<boolean> {
    const { log, intervalMs } = this.anchoring;
    // One at a time: its proof begins at the anchor before it.
    if (performance.now() < this.#checkAt || open.some((transaction) => this.isAnchor(transaction))) return false;
    this.#checkAt = performance.now() + Math.min(CHECK_MS, intervalMs);
    const last = await this.anchoring.records.readLast(this.#contract);
    const published = await log.readPublished().catch((error) => this.#reportFailure(error));
    if (!published) return false;
    this.#state = { published, last };
    if (last && published.size <= last.size) {
      this.#unanchoredSince = undefined;
      const isSame = published.size === last.size && Buffer.compare(published.root, last.root) === 0;
      return isSame ? false : this.#report(CONTRADICTION);
    }
    this.#unanchoredSince ??= Date.now();
    return Date.now() - (last?.blockTime.getTime() ?? 0) >= intervalMs;
  }

  isAnchor({ recipient }: Pick<ChainTransaction, 'recipient'>): boolean {
    return recipient === this.anchoring.contract;
  }

  /** After a transaction of this contract has ended, what it did is read at once. */
  checkSoon(): void {
    this.#checkAt = Number.NEGATIVE_INFINITY;
  }

  get msUntilCheck(): number {
    return Math.max(0, this.#checkAt - performance.now());
  }

  report(): AnchorReport | undefined {
    if (!this.#state) return undefined;
    const { last } = this.#state;
    const since =
      this.#unanchoredSince === undefined ? undefined : (last?.blockTime.getTime() ?? this.#unanchoredSince);
    const ageSeconds = since === undefined ? 0 : Math.max(0, (Date.now() - since) / 1_000);
    return { ageSeconds, intervalSeconds: this.anchoring.intervalMs / 1_000 };
  }

  /** Sends the anchor that is due, after those were remembered that the contract has already. True when something changed. */
  async submit(nonce: number, head: Head): Promise<boolean> {
    const prepared = await this.#prepare(head).catch((error) => this.#reportFailure(error));
    if (prepared === undefined || typeof prepared === 'boolean') return prepared ?? false;
    const send = await this.transactionSender.record(nonce, prepared.transaction, [], prepared.fees);
    await send();
    this.#lastProblem = undefined;
    return true;
  }

  /** True: anchors of the contract were remembered instead. Undefined: nothing can be anchored now. */
  async #prepare(head: Head) {
    const { node, sender } = this.context;
    const { contract, log } = this.anchoring;
    const { published, last } = this.#state ?? {};
    if (!published) return undefined;
    const anchored = await readAnchoredHead(node, contract);
    if (anchored.size > (last?.size ?? 0)) return await this.#remember(last, head);
    const from = { size: anchored.size, root: Buffer.from(anchored.root.slice(2), 'hex') };
    const proof = await log.prove(from, published);
    if (proof === 'contradiction') return this.#report(CONTRADICTION);
    const calldata = encodeAnchor({ size: published.size, root: toHex(published.root) }, proof.map(toHex));
    const gas = await this.#estimateGas({ from: sender.address, to: contract, data: calldata });
    if (gas === undefined) return undefined;
    if (gas > maxTransactionGas(head)) return this.#report('an anchor needs more gas than a transaction may have');
    return { transaction: { recipient: contract, calldata, gas }, fees: await currentFees(node, head) };
  }

  /** Undefined: the contract refuses the call. */
  async #estimateGas(call: Parameters<typeof estimateGas>[1]): Promise<bigint | undefined> {
    try {
      const estimated = await estimateGas(this.context.node, call);
      return estimated + (estimated * GAS_MARGIN_PERCENT) / 100n;
    } catch (error) {
      const reason = revertReason(error);
      if (reason === undefined) throw error;
      this.#report(`the contract refused the anchor (${reason})`);
      return undefined;
    }
  }

  /** Saves confirmed anchors that this database does not have: those just sent, and all others after it was restored. */
  async #remember(last: LogAnchor | undefined, head: Head): Promise<boolean> {
    const { node, registry } = this.context;
    const { contract, records } = this.anchoring;
    const to = confirmedBlock(this.context, head);
    // The service begins with the registry: nothing was anchored before.
    const from = last ? last.blockNumber + 1n : await findFirstBlock(node, registry, head.number);
    let count = 0;
    for await (const anchor of readAnchors(node, contract, { from, to })) {
      const complete = await this.#complete(anchor);
      if (!complete) return false;
      await records.save(this.#contract, [complete]);
      count += 1;
    }
    if (count > 0) this.checkSoon();
    return count > 0;
  }

  /** Undefined while the node shows another block at this height. */
  async #complete({ size, root, transactionHash, blockNumber, blockHash }: Anchor): Promise<LogAnchor | undefined> {
    const block = await readBlock(this.context.node, blockNumber);
    if (block?.hash !== blockHash) return undefined;
    const blockTime = new Date(Number(block.timestamp) * 1_000);
    return { size, root: Buffer.from(root.slice(2), 'hex'), transactionHash, blockNumber, blockHash, blockTime };
  }

  get #contract(): LogContract {
    return { chainId: this.context.chainId, address: this.anchoring.contract };
  }

  /** Registrations go on while the files of the log cannot be read, or the node does not answer about its contract. */
  #reportFailure(error: unknown): undefined {
    this.#report(nodeErrorMessage(error));
  }

  #report(problem: string): false {
    if (problem !== this.#lastProblem) this.context.log('warn', { reason: problem }, 'chain: the log is not anchored');
    this.#lastProblem = problem;
    return false;
  }
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
