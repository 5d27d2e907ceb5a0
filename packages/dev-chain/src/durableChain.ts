// A chain that survives its process: a block is in the journal on disk before clients can read it and before the senders
// of its transactions get a response. A start replays the journal, and each block must get the same hash again.

import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import { limitConcurrency } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type Address, type Hash, type Hex, hexToBigInt, isHex, numberToHex } from 'viem';
import { createEvm, type Evm, FUNDING_WEI } from './evm.js';
import { type Journal, type JournalRecord, openJournal } from './journal.js';
import { type Candidate, type MinedBlock, Miner, type MiningResult } from './miner.js';

export interface DurableChainOptions {
  /** The journal's file. */
  readonly path: string;
  readonly funded: readonly Address[];
  /** Empty blocks follow until a transaction has this many confirmations, its own block included. */
  readonly confirmations: number;
  readonly clock: () => Date;
  /** Called when the chain stops accepting transactions, once per outage. */
  readonly onFault: (reason: unknown) => void;
}

/** Between empty blocks that confirm earlier ones: as on the fastest public chains. */
const EMPTY_BLOCK_MS = 1_000;
/** The EVM handles one request at a time, most in less than a millisecond: this is a few seconds of work. */
const MAX_WAITING_REQUESTS = 5_000;
/** Each is tried again with every block. Out-of-order nonces of one busy sender stay far below. */
const MAX_QUEUED = 1_000;

const Amount = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]+$' }));

/** A transaction whose sender is waiting for a response. */
interface Submitted extends Candidate {
  resolve(hash: Hash): void;
  reject(error: JsonRpcError): void;
}

/** An accepted transaction that is not mined yet. */
interface Queued extends Candidate {
  readonly hash: Hash;
  /** The result of `eth_getTransactionByHash`. */
  readonly description: unknown;
}

export async function openDurableChain(options: DurableChainOptions): Promise<DurableChain> {
  const restored = emptyChain();
  const journal = await openJournal(options.path, (record) => replayRecord(restored, record, options.clock));
  try {
    if (!restored.machine) await createGenesis(restored, journal, options);
    const chain = new DurableChain(restored, journal, options);
    await chain.resume();
    return chain;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

export interface RestoredChain {
  machine?: { readonly evm: Evm; readonly miner: Miner };
  /** Lower case. */
  readonly funded: Set<string>;
  readonly queued: Map<Hash, Queued>;
  /** The number of the last block with a transaction. */
  lastNonEmptyBlock: number;
}

export function emptyChain(): RestoredChain {
  return { funded: new Set(), queued: new Map(), lastNonEmptyBlock: 0 };
}

export async function replayRecord(restored: RestoredChain, record: JournalRecord, clock: () => Date): Promise<void> {
  const { machine } = restored;
  if (record.kind === 'genesis') {
    if (machine) throw new Error('there is a second genesis.');
    restored.machine = await createMachine(record.time, record.funded, clock);
    if (restored.machine.miner.tip.hash !== record.hash) {
      throw new Error('the genesis block differs. It was created by another release, or modified.');
    }
    for (const address of record.funded) restored.funded.add(address.toLowerCase());
    return;
  }
  if (!machine) throw new Error('there is no genesis before it.');
  switch (record.kind) {
    case 'funding':
      await machine.miner.setBalance(record.address, record.balance);
      restored.funded.add(record.address.toLowerCase());
      return;
    case 'waiting':
      restored.queued.set(record.hash, { ...record, description: null });
      return;
    case 'block': {
      const { transactions } = await machine.miner.replayBlock(record, record.transactions);
      for (const hash of transactions) restored.queued.delete(hash);
      if (transactions.length > 0) restored.lastNonEmptyBlock = record.number;
    }
  }
}

async function createGenesis(
  restored: RestoredChain,
  journal: Journal,
  { funded, clock }: DurableChainOptions,
): Promise<void> {
  const time = Math.floor(clock().getTime() / 1_000);
  const distinct = [...new Map(funded.map((address) => [address.toLowerCase(), address])).values()];
  const machine = await createMachine(time, distinct, clock);
  await journal.append([{ kind: 'genesis', time, funded: distinct, hash: machine.miner.tip.hash }]);
  restored.machine = machine;
  for (const address of distinct) restored.funded.add(address.toLowerCase());
}

async function createMachine(genesisTime: number, funded: readonly Address[], clock: () => Date) {
  const evm = await createEvm({ funded, genesisTime, automine: false });
  return { evm, miner: await Miner.create(evm, clock) };
}

export class DurableChain {
  readonly #evm: Evm;
  readonly #miner: Miner;
  readonly #journal: Journal;
  readonly #options: DurableChainOptions;
  readonly #funded: Set<string>;
  #queued: Map<Hash, Queued>;
  #lastNonEmptyBlock: number;

  /** Reads wait while blocks are mined and written: a block whose write fails is removed again. */
  readonly #runExclusively = limitConcurrency(
    1,
    MAX_WAITING_REQUESTS,
    () => new JsonRpcError(errorCodes.limitExceeded, 'The development chain has too many requests waiting.'),
  );
  /** They share the next block and its write to disk. */
  #submitted: Submitted[] = [];
  #emptyBlockTimer: NodeJS.Timeout | undefined;
  /** Set when no more transactions are accepted. */
  #stopError: JsonRpcError | undefined;
  /** The last write to the journal failed. */
  #hasWriteFailed = false;

  constructor(
    { machine, funded, queued, lastNonEmptyBlock }: RestoredChain,
    journal: Journal,
    options: DurableChainOptions,
  ) {
    if (!machine) throw new Error('A chain needs a genesis.');
    this.#evm = machine.evm;
    this.#miner = machine.miner;
    this.#journal = journal;
    this.#options = options;
    this.#funded = funded;
    this.#queued = queued;
    this.#lastNonEmptyBlock = lastNonEmptyBlock;
  }

  /** Finishes what an earlier process left undone. */
  async resume(): Promise<void> {
    for (const address of this.#options.funded) await this.#fund(address);
    if (this.#queued.size > 0) await this.#mineAndWrite([]);
    this.#scheduleEmptyBlock();
  }

  /** The journal up to here holds everything that clients can read. */
  get journalLength(): number {
    return this.#journal.length;
  }

  /** Only for reading: `send` changes the chain. */
  request(call: JsonRpcCall): Promise<unknown> {
    return this.#runExclusively(async () => this.#describeQueued(call) ?? (await this.#evm.request(call)));
  }

  /** Settles when the transaction is on disk, in a block or queued for its nonce or fee. */
  send(transaction: Hex): Promise<Hash> {
    return new Promise((resolve, reject) => {
      if (this.#stopError) return reject(this.#stopError);
      this.#submitted.push({ transaction, resolve, reject });
      if (this.#submitted.length > 1) return;
      this.#runExclusively(() => this.#mineAndWrite(this.#takeSubmitted())).catch((error) => {
        for (const submitted of this.#takeSubmitted()) submitted.reject(error);
      });
    });
  }

  async close(): Promise<void> {
    this.#stopError ??= new JsonRpcError(errorCodes.server, 'The development chain is being stopped.');
    clearTimeout(this.#emptyBlockTimer);
    await this.#runExclusively(() => this.#journal.close());
  }

  #takeSubmitted(): Submitted[] {
    const submitted = this.#submitted;
    this.#submitted = [];
    return submitted;
  }

  #describeQueued({ method, params }: JsonRpcCall): unknown {
    if (method !== 'eth_getTransactionByHash') return undefined;
    const hash = params?.[0];
    return isHex(hash) ? this.#queued.get(hash)?.description : undefined;
  }

  async #mineAndWrite(submitted: readonly Submitted[], orEmpty = false): Promise<void> {
    if (this.#stopError) {
      for (const { reject } of submitted) reject(this.#stopError);
      return;
    }
    try {
      const result = await this.#miner.mine<Submitted | Queued>([...this.#queued.values(), ...submitted]);
      const { blocks } = result;
      if (orEmpty && blocks.length === 0) blocks.push(await this.#miner.mineEmpty());
      const queued = this.#queueAfter(result);
      const records = [...this.#newlyQueued(queued), ...blocks.map(blockRecord)];
      if (await this.#write(records, blocks, submitted)) {
        this.#queued = queued;
        this.#lastNonEmptyBlock =
          blocks.findLast(({ content }) => content.length > 0)?.number ?? this.#lastNonEmptyBlock;
        settleSubmitted(submitted, result);
      }
    } catch (error) {
      this.#stop(error, submitted);
    }
    this.#scheduleEmptyBlock();
  }

  #queueAfter({ unmineable, rejected }: MiningResult<Submitted | Queued>): Map<Hash, Queued> {
    const queued = new Map<Hash, Queued>();
    for (const { candidate, hash, description } of unmineable) {
      if (queued.size < MAX_QUEUED) queued.set(hash, { transaction: candidate.transaction, hash, description });
      else rejected.set(candidate, new JsonRpcError(errorCodes.server, 'txpool is full'));
    }
    return queued;
  }

  #newlyQueued(queued: ReadonlyMap<Hash, Queued>): JournalRecord[] {
    return [...queued.values()]
      .filter(({ hash }) => !this.#queued.has(hash))
      .map(({ hash, transaction }) => ({ kind: 'waiting', hash, transaction }));
  }

  /** When the write fails, the blocks are removed: clients can send the transactions again when the disk has room. */
  async #write(
    records: readonly JournalRecord[],
    blocks: readonly MinedBlock[],
    submitted: readonly Submitted[],
  ): Promise<boolean> {
    try {
      if (records.length === 0) return true;
      await this.#journal.append(records);
      this.#hasWriteFailed = false;
      return true;
    } catch (reason) {
      await this.#miner.undo(blocks);
      const error = new JsonRpcError(
        errorCodes.server,
        'The development chain accepts no transactions right now because its journal cannot be written. ' +
          'See the log of the service.',
      );
      for (const { reject } of submitted) reject(error);
      if (!this.#hasWriteFailed) this.#options.onFault(reason);
      this.#hasWriteFailed = true;
      return false;
    }
  }

  /** The EVM may have blocks that the journal does not have: no more are added. Reading goes on. */
  #stop(reason: unknown, submitted: readonly Submitted[]): void {
    this.#stopError = new JsonRpcError(
      errorCodes.server,
      'The development chain accepts no more transactions. See the log of the service, and restart it.',
    );
    for (const { reject } of submitted) reject(this.#stopError);
    this.#options.onFault(reason);
  }

  #scheduleEmptyBlock(): void {
    const wanted = this.#lastNonEmptyBlock === 0 ? 0 : this.#lastNonEmptyBlock + this.#options.confirmations - 1;
    if (this.#stopError || this.#emptyBlockTimer || this.#miner.tip.number >= wanted) return;
    this.#emptyBlockTimer = setTimeout(() => {
      this.#emptyBlockTimer = undefined;
      this.#runExclusively(() => this.#mineAndWrite([], true)).catch(this.#options.onFault);
    }, EMPTY_BLOCK_MS).unref();
  }

  /** Funds an address that was added after the genesis. */
  async #fund(address: Address): Promise<void> {
    if (this.#funded.has(address.toLowerCase())) return;
    const current = await this.#evm.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    const balance = numberToHex(hexToBigInt(Value.Parse(Amount, current)) + FUNDING_WEI);
    await this.#journal.append([{ kind: 'funding', address, balance }]);
    await this.#miner.setBalance(address, balance);
    this.#funded.add(address.toLowerCase());
  }
}

function blockRecord({ number, timestamp, hash, content }: MinedBlock): JournalRecord {
  return {
    kind: 'block',
    number,
    timestamp,
    hash,
    transactions: content.map(({ candidate }) => candidate.transaction),
  };
}

function settleSubmitted(
  submitted: readonly Submitted[],
  { blocks, unmineable, rejected }: MiningResult<Submitted | Queued>,
): void {
  const accepted = [...blocks.flatMap(({ content }) => content), ...unmineable];
  const hashes = new Map(accepted.map(({ candidate, hash }) => [candidate, hash]));
  for (const one of submitted) {
    const hash = hashes.get(one);
    const error = rejected.get(one);
    if (error) one.reject(error);
    else if (hash) one.resolve(hash);
    // Another transaction with the same sender and nonce pays more.
    else one.reject(new JsonRpcError(errorCodes.server, 'replacement transaction underpriced'));
  }
}
