// Makes blocks, the same ones when the chain is made again. A block is made of exactly the transactions that go into
// it, put in that order into a pool that holds nothing else: no other transaction can have had a say in it. What
// cannot be mined is therefore never left in the machine's pool, where one that its sender can no longer pay for
// would moreover stop all mining.

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
  /** What takes the machine back to before this block. */
  readonly before: Checkpoint;
}

/** A transaction in the machine's pool. */
interface Pooled<C extends Candidate> {
  readonly candidate: C;
  readonly hash: Hash;
}

/** One that cannot be mined now: a nonce before it is missing, or it pays less than the base fee. */
export interface Unripe<C extends Candidate> extends Pooled<C> {
  /** What `eth_getTransactionByHash` answers. */
  readonly description: unknown;
}

export interface Outcome<C extends Candidate> {
  readonly blocks: MinedBlock<C>[];
  readonly refused: Map<C, JsonRpcError>;
  readonly unripe: Unripe<C>[];
}

interface Checkpoint {
  readonly snapshot: unknown;
  readonly tip: Block;
}

/** What came of a try to put these transactions into one block; nothing else is left of it unless it succeeded. */
interface Attempt<C extends Candidate> {
  /** There when the block holds exactly the transactions that the pool took, in that order. */
  readonly block?: MinedBlock<C>;
  readonly refused: Map<C, JsonRpcError>;
  /** What a block would hold, in its order. */
  readonly ripe: readonly Pooled<C>[];
  readonly unripe: readonly Unripe<C>[];
  /** One of them keeps the others from being mined. */
  readonly stuck?: JsonRpcError;
}

const Quantity = Type.String({ pattern: '^0x[0-9a-f]+$' });
const HashText = Type.Unsafe<Hash>(Type.String({ pattern: '^0x[0-9a-f]{64}$' }));
const BlockAnswer = Type.Object({
  number: Quantity,
  timestamp: Quantity,
  hash: HashText,
  transactions: Type.Array(HashText),
});
const PendingAnswer = Type.Object({ transactions: Type.Array(HashText) });
const PoolAnswer = Type.Array(Type.Object({ hash: HashText }));

export class Miner {
  readonly #evm: Evm;
  readonly #clock: () => Date;
  #tip: Block;

  private constructor(evm: Evm, clock: () => Date, tip: Block) {
    this.#evm = evm;
    this.#clock = clock;
    this.#tip = tip;
  }

  /** On a machine that does not mine by itself, and whose pool is empty. */
  static async on(evm: Evm, clock: () => Date): Promise<Miner> {
    return new Miner(evm, clock, await latestBlock(evm));
  }

  get tip(): Block {
    return this.#tip;
  }

  /** Mines what can be mined of these, in as few blocks as possible. */
  async mine<C extends Candidate>(candidates: readonly C[]): Promise<Outcome<C>> {
    const outcome: Outcome<C> = { blocks: [], refused: new Map(), unripe: [] };
    let rest = candidates;
    let atOnce = candidates.length;
    while (rest.length > 0) {
      const part = rest.slice(0, atOnce);
      const others = rest.slice(atOnce);
      const attempt = await this.#attempt(part);
      if (attempt.stuck && part.length > 1) {
        // Whichever it is: alone it is refused, and the others are mined. One that comes before a nonce that it
        // needs is taken for unripe then, and mined with the next transactions.
        atOnce = Math.ceil(part.length / 2);
        continue;
      }
      const block = attempt.block ?? (await this.#mineRipe(attempt));
      if (!block && attempt.ripe.length > 0) {
        // One transaction has one order only.
        atOnce = 1;
        continue;
      }
      for (const [candidate, error] of attempt.refused) outcome.refused.set(candidate, error);
      if (block) {
        outcome.blocks.push(block);
        const mined = new Set(block.content.map(({ candidate }) => candidate));
        // The others may just have found no room.
        rest = [...part.filter((one) => !mined.has(one) && !attempt.refused.has(one)), ...others];
      } else {
        outcome.unripe.push(...attempt.unripe);
        rest = others;
      }
    }
    return outcome;
  }

  async mineEmpty(): Promise<MinedBlock<never>> {
    const { block } = await this.#attempt<never>([]);
    if (!block) throw new Error('A block without transactions cannot be mined.');
    return block;
  }

  /** Makes a block again as it once was. */
  async mineAgain(block: Omit<Block, 'transactions'>, transactions: readonly Hex[]): Promise<Block> {
    for (const transaction of transactions) await this.#put(transaction);
    const made = await this.#close(block.timestamp);
    if (made.number === block.number && made.hash === block.hash) return made;
    throw new Error(
      `block ${block.number} was ${block.hash}, and comes out as block ${made.number}, ${made.hash}. ` +
        'It was made by another release, or changed.',
    );
  }

  /** As if these blocks, the last ones, had never been. */
  async undo(blocks: readonly MinedBlock[]): Promise<void> {
    const [first] = blocks;
    if (first) await this.#goBack(first.before);
  }

  /** What an account has may be changed between blocks only. */
  async setBalance(address: Address, balance: Hex): Promise<void> {
    await this.#evm.request({ method: 'hardhat_setBalance', params: [address, balance] });
  }

  /** The block that was foreseen, made of nothing but what it holds. */
  async #mineRipe<C extends Candidate>({ ripe }: Attempt<C>): Promise<MinedBlock<C> | undefined> {
    if (ripe.length === 0) return undefined;
    return (await this.#attempt(ripe.map(({ candidate }) => candidate))).block;
  }

  async #attempt<C extends Candidate>(candidates: readonly C[]): Promise<Attempt<C>> {
    const before = { snapshot: await this.#evm.request({ method: 'evm_snapshot' }), tip: this.#tip };
    const refused = new Map<C, JsonRpcError>();
    const pooled: Pooled<C>[] = [];
    for (const candidate of candidates) {
      try {
        pooled.push({ candidate, hash: await this.#put(candidate.transaction) });
      } catch (error) {
        refused.set(candidate, asJsonRpcError(error));
      }
    }
    if (pooled.length === 0 && candidates.length > 0) return { refused, ripe: [], unripe: [] };
    try {
      const timestamp = this.#nextTimestamp();
      const order = await this.#foresee(timestamp);
      const wanted = pooled.map(({ hash }) => hash).join();
      if (order.join() === wanted) {
        const block = await this.#close(timestamp);
        if (block.transactions.join() !== wanted) throw new Error('The block is not the one that was foreseen.');
        return { block: { ...block, content: pooled, before }, refused, ripe: pooled, unripe: [] };
      }
      const descriptions = await this.#pool();
      await this.#goBack(before);
      const byHash = new Map(pooled.map((one) => [one.hash, one]));
      return {
        refused,
        ripe: order.flatMap((hash) => byHash.get(hash) ?? []),
        // One that another has replaced is in neither.
        unripe: pooled.flatMap((one) => {
          const description = descriptions.get(one.hash);
          return description ? { ...one, description } : [];
        }),
      };
    } catch (error) {
      await this.#goBack(before);
      const stuck = asJsonRpcError(error);
      if (pooled.length === 1) for (const { candidate } of pooled) refused.set(candidate, stuck);
      return { refused, ripe: [], unripe: [], stuck };
    }
  }

  /** What a block would hold. It is not mined to find out: whoever has a filter would be told of it. */
  async #foresee(timestamp: number): Promise<readonly Hash[]> {
    await this.#setTimestamp(timestamp);
    const answer = await this.#evm.request({ method: 'eth_getBlockByNumber', params: ['pending', false] });
    return Value.Parse(PendingAnswer, answer).transactions;
  }

  async #put(transaction: Hex): Promise<Hash> {
    return Value.Parse(HashText, await this.#evm.request({ method: 'eth_sendRawTransaction', params: [transaction] }));
  }

  async #close(timestamp: number): Promise<Block> {
    await this.#setTimestamp(timestamp);
    await this.#evm.request({ method: 'evm_mine' });
    this.#tip = await latestBlock(this.#evm);
    return this.#tip;
  }

  async #setTimestamp(timestamp: number): Promise<void> {
    await this.#evm.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(timestamp)] });
  }

  async #pool(): Promise<Map<Hash, unknown>> {
    const pool = Value.Parse(PoolAnswer, await this.#evm.request({ method: 'eth_pendingTransactions' }));
    return new Map(pool.map((description) => [description.hash, description]));
  }

  async #goBack({ snapshot, tip }: Checkpoint): Promise<void> {
    await this.#evm.request({ method: 'evm_revert', params: [snapshot] });
    this.#tip = tip;
  }

  /** Blocks follow the clock, and each is at least a second later than the one before, as on any chain. */
  #nextTimestamp(): number {
    return Math.max(Math.floor(this.#clock().getTime() / 1_000), this.#tip.timestamp + 1);
  }
}

async function latestBlock(evm: Evm): Promise<Block> {
  const answer = await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  const { number, timestamp, hash, transactions } = Value.Parse(BlockAnswer, answer);
  return { number: Number(number), timestamp: Number(timestamp), hash, transactions };
}

function asJsonRpcError(error: unknown): JsonRpcError {
  if (error instanceof JsonRpcError) return error;
  return new JsonRpcError(errorCodes.internal, 'The transaction could not be carried out.');
}
