// Mines blocks that a replay reproduces exactly. For each block, the EVM's pool holds only the transactions of that block,
// in their order, so that no other transaction can influence it. Transactions that cannot be mined are not left in the
// pool: one that its sender can no longer pay for would stop all mining.

import { errorCodes, JsonRpcError } from '@provenance-registry/chain-client';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Address, Hash, Hex } from 'viem';
import { numberToHex } from 'viem';
import type { Evm } from './evm.js';

/** A signed transaction. */
export interface Candidate {
  readonly transaction: Hex;
}

export interface Block {
  readonly number: number;
  readonly timestamp: number;
  readonly hash: Hash;
  readonly transactions: readonly Hash[];
}

export interface MinedBlock<C extends Candidate = Candidate> extends Block {
  readonly content: readonly Pooled<C>[];
  /** The state before this block. */
  readonly before: Checkpoint;
}

/** A transaction in the EVM's pool. */
interface Pooled<C extends Candidate> {
  readonly candidate: C;
  readonly hash: Hash;
}

/** A valid transaction that cannot be mined now: an earlier nonce is missing, or it pays less than the base fee. */
export interface Unmineable<C extends Candidate> extends Pooled<C> {
  /** The result of `eth_getTransactionByHash`. */
  readonly description: unknown;
}

export interface MiningResult<C extends Candidate> {
  readonly blocks: MinedBlock<C>[];
  readonly rejected: Map<C, JsonRpcError>;
  readonly unmineable: Unmineable<C>[];
}

interface Checkpoint {
  readonly snapshot: unknown;
  readonly tip: Block;
}

/** The result of putting transactions into one block. Without a block, the EVM is as it was before. */
interface BlockAttempt<C extends Candidate> {
  /** Set when the block holds exactly the transactions that the pool accepted, in that order. */
  readonly block?: MinedBlock<C>;
  readonly rejected: Map<C, JsonRpcError>;
  /** The transactions that a block would hold, in its order. */
  readonly mineable: readonly Pooled<C>[];
  readonly unmineable: readonly Unmineable<C>[];
  /** Set when one transaction prevents the others from being mined. */
  readonly blockingError?: JsonRpcError;
}

const Quantity = Type.String({ pattern: '^0x[0-9a-f]+$' });
const HashText = Type.Unsafe<Hash>(Type.String({ pattern: '^0x[0-9a-f]{64}$' }));
const BlockResult = Type.Object({
  number: Quantity,
  timestamp: Quantity,
  hash: HashText,
  transactions: Type.Array(HashText),
});
const PendingBlockResult = Type.Object({ transactions: Type.Array(HashText) });
const PoolResult = Type.Array(Type.Object({ hash: HashText }));

export class Miner {
  readonly #evm: Evm;
  readonly #clock: () => Date;
  #tip: Block;

  private constructor(evm: Evm, clock: () => Date, tip: Block) {
    this.#evm = evm;
    this.#clock = clock;
    this.#tip = tip;
  }

  /** The EVM must not mine by itself, and its pool must be empty. */
  static async create(evm: Evm, clock: () => Date): Promise<Miner> {
    return new Miner(evm, clock, await readLatestBlock(evm));
  }

  get tip(): Block {
    return this.#tip;
  }

  /** Mines as many of these as possible, in as few blocks as possible. */
  async mine<C extends Candidate>(candidates: readonly C[]): Promise<MiningResult<C>> {
    const result: MiningResult<C> = { blocks: [], rejected: new Map(), unmineable: [] };
    let rest = candidates;
    let maxPerBlock = candidates.length;
    while (rest.length > 0) {
      const part = rest.slice(0, maxPerBlock);
      const others = rest.slice(maxPerBlock);
      const attempt = await this.#attempt(part);
      if (attempt.blockingError && part.length > 1) {
        // Alone, the transaction at fault is rejected, and the others are mined. A transaction that is separated from an
        // earlier nonce counts as not mineable then, and is mined with the next transactions.
        maxPerBlock = Math.ceil(part.length / 2);
        continue;
      }
      const block = attempt.block ?? (await this.#mineMineable(attempt));
      if (!block && attempt.mineable.length > 0) {
        // A single transaction has only one order.
        maxPerBlock = 1;
        continue;
      }
      for (const [candidate, error] of attempt.rejected) result.rejected.set(candidate, error);
      if (block) {
        result.blocks.push(block);
        const mined = new Set(block.content.map(({ candidate }) => candidate));
        // The block may have had no room for the others.
        rest = [...part.filter((one) => !mined.has(one) && !attempt.rejected.has(one)), ...others];
      } else {
        result.unmineable.push(...attempt.unmineable);
        rest = others;
      }
    }
    return result;
  }

  async mineEmpty(): Promise<MinedBlock<never>> {
    const { block } = await this.#attempt<never>([]);
    if (!block) throw new Error('An empty block could not be mined.');
    return block;
  }

  /** Mines a recorded block again. Throws when it differs. */
  async replayBlock(block: Omit<Block, 'transactions'>, transactions: readonly Hex[]): Promise<Block> {
    for (const transaction of transactions) await this.#addToPool(transaction);
    const mined = await this.#mineBlock(block.timestamp);
    if (mined.number === block.number && mined.hash === block.hash) return mined;
    throw new Error(
      `block ${block.number} was ${block.hash}; the replay has block ${mined.number}, ${mined.hash}. ` +
        'It was created by another release, or modified.',
    );
  }

  /** Removes these blocks, which must be the last ones. */
  async undo(blocks: readonly MinedBlock[]): Promise<void> {
    const [first] = blocks;
    if (first) await this.#restore(first.before);
  }

  /** Only between blocks. */
  async setBalance(address: Address, balance: Hex): Promise<void> {
    await this.#evm.request({ method: 'hardhat_setBalance', params: [address, balance] });
  }

  /** Mines the previewed block with a pool that holds only its transactions. */
  async #mineMineable<C extends Candidate>({ mineable }: BlockAttempt<C>): Promise<MinedBlock<C> | undefined> {
    if (mineable.length === 0) return undefined;
    return (await this.#attempt(mineable.map(({ candidate }) => candidate))).block;
  }

  async #attempt<C extends Candidate>(candidates: readonly C[]): Promise<BlockAttempt<C>> {
    const before = { snapshot: await this.#evm.request({ method: 'evm_snapshot' }), tip: this.#tip };
    const rejected = new Map<C, JsonRpcError>();
    const pooled: Pooled<C>[] = [];
    for (const candidate of candidates) {
      try {
        pooled.push({ candidate, hash: await this.#addToPool(candidate.transaction) });
      } catch (error) {
        rejected.set(candidate, toJsonRpcError(error));
      }
    }
    if (pooled.length === 0 && candidates.length > 0) return { rejected, mineable: [], unmineable: [] };
    try {
      const timestamp = this.#nextTimestamp();
      const order = await this.#previewBlock(timestamp);
      const wanted = pooled.map(({ hash }) => hash).join();
      if (order.join() === wanted) {
        const block = await this.#mineBlock(timestamp);
        if (block.transactions.join() !== wanted) throw new Error('The block differs from its preview.');
        return { block: { ...block, content: pooled, before }, rejected, mineable: pooled, unmineable: [] };
      }
      const descriptions = await this.#readPool();
      await this.#restore(before);
      const byHash = new Map(pooled.map((one) => [one.hash, one]));
      return {
        rejected,
        mineable: order.flatMap((hash) => byHash.get(hash) ?? []),
        // A replaced transaction is in neither list.
        unmineable: pooled.flatMap((one) => {
          const description = descriptions.get(one.hash);
          return description ? { ...one, description } : [];
        }),
      };
    } catch (error) {
      await this.#restore(before);
      const blockingError = toJsonRpcError(error);
      if (pooled.length === 1) for (const { candidate } of pooled) rejected.set(candidate, blockingError);
      return { rejected, mineable: [], unmineable: [], blockingError };
    }
  }

  /** The transactions of the next block. It is not mined to find out: clients with a filter would be notified. */
  async #previewBlock(timestamp: number): Promise<readonly Hash[]> {
    await this.#setTimestamp(timestamp);
    const result = await this.#evm.request({ method: 'eth_getBlockByNumber', params: ['pending', false] });
    return Value.Parse(PendingBlockResult, result).transactions;
  }

  async #addToPool(transaction: Hex): Promise<Hash> {
    return Value.Parse(HashText, await this.#evm.request({ method: 'eth_sendRawTransaction', params: [transaction] }));
  }

  async #mineBlock(timestamp: number): Promise<Block> {
    await this.#setTimestamp(timestamp);
    await this.#evm.request({ method: 'evm_mine' });
    this.#tip = await readLatestBlock(this.#evm);
    return this.#tip;
  }

  async #setTimestamp(timestamp: number): Promise<void> {
    await this.#evm.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(timestamp)] });
  }

  async #readPool(): Promise<Map<Hash, unknown>> {
    const pool = Value.Parse(PoolResult, await this.#evm.request({ method: 'eth_pendingTransactions' }));
    return new Map(pool.map((description) => [description.hash, description]));
  }

  async #restore({ snapshot, tip }: Checkpoint): Promise<void> {
    await this.#evm.request({ method: 'evm_revert', params: [snapshot] });
    this.#tip = tip;
  }

  /** Blocks follow the clock, and each is at least a second later than the one before. */
  #nextTimestamp(): number {
    return Math.max(Math.floor(this.#clock().getTime() / 1_000), this.#tip.timestamp + 1);
  }
}

async function readLatestBlock(evm: Evm): Promise<Block> {
  const result = await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const { number, timestamp, hash, transactions } = Value.Parse(BlockResult, result);
  return { number: Number(number), timestamp: Number(timestamp), hash, transactions };
}

function toJsonRpcError(error: unknown): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  return new JsonRpcError(errorCodes.internal, 'The transaction could not be executed.');
}
