// A chain whose transactions outlive the process: what a block holds is on the disk before the sender of any of its
// transactions is answered, and before anybody can read it. At the start the blocks are made again from the journal,
// and each must come out with the hash that it had.

import { errorCodes, type JsonRpcCall, JsonRpcError } from '@provenance-registry/chain-client';
import { limitConcurrency } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type Address, type Hash, type Hex, hexToBigInt, isHex, numberToHex } from 'viem';
import { createEvm, type Evm, FUNDING_WEI } from './evm.js';
import { type Journal, type JournalRecord, openJournal } from './journal.js';
import { type Candidate, type MinedBlock, Miner, type Outcome } from './miner.js';

export interface DurableChainOptions {
  /** The journal's file. */
  readonly path: string;
  readonly funded: readonly Address[];
  /** How many blocks deep a transaction gets by itself, its own block counted. */
  readonly confirmations: number;
  readonly clock: () => Date;
  /** Told when the chain cannot take transactions, once until it can again. */
  readonly onFault: (reason: unknown) => void;
}

/** How often a block follows that only deepens those before it: as often as the fastest public chains. */
const EMPTY_BLOCK_MS = 1_000;
/** The machine does one thing at a time, most of them in less than a millisecond: a few seconds of work. */
const MAX_WAITING_REQUESTS = 5_000;
/** Each of them is tried again with every block. Out-of-order nonces of one busy sender stay far below. */
const MAX_UNRIPE = 1_000;

const Amount = Type.Unsafe<Hex>(Type.String({ pattern: '^0x[0-9a-f]+$' }));

/** A transaction that somebody waits for. */
interface Sent extends Candidate {
  resolve(hash: Hash): void;
  reject(error: JsonRpcError): void;
}

/** A transaction that was answered and is not mined. */
interface Waiting extends Candidate {
  readonly hash: Hash;
  /** What `eth_getTransactionByHash` answers. */
  readonly description: unknown;
}

export async function openDurableChain(options: DurableChainOptions): Promise<DurableChain> {
  const restored: Restored = { funded: new Set(), waiting: new Map(), lastUsed: 0 };
  const journal = await openJournal(options.path, (record) => restore(restored, record, options.clock));
  try {
    if (!restored.machine) await begin(restored, journal, options);
    const chain = new DurableChain(restored, journal, options);
    await chain.prepare();
    return chain;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

interface Restored {
  machine?: { readonly evm: Evm; readonly miner: Miner };
  /** In lower case. */
  readonly funded: Set<string>;
  readonly waiting: Map<Hash, Waiting>;
  /** The last block that holds a transaction. */
  lastUsed: number;
}

async function restore(restored: Restored, record: JournalRecord, clock: () => Date): Promise<void> {
  const { machine } = restored;
  if (record.kind === 'genesis') {
    if (machine) throw new Error('a chain begins once.');
    restored.machine = await createMachine(record.time, record.funded, clock);
    if (restored.machine.miner.tip.hash !== record.hash) {
      throw new Error('the genesis block comes out differently. It was made by another release, or changed.');
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
      restored.waiting.set(record.hash, { ...record, description: null });
      return;
    case 'block': {
      const { transactions } = await machine.miner.mineAgain(record, record.transactions);
      for (const hash of transactions) restored.waiting.delete(hash);
      if (transactions.length > 0) restored.lastUsed = record.number;
    }
  }
}

async function begin(restored: Restored, journal: Journal, { funded, clock }: DurableChainOptions): Promise<void> {
  const time = Math.floor(clock().getTime() / 1_000);
  const distinct = [...new Map(funded.map((address) => [address.toLowerCase(), address])).values()];
  const machine = await createMachine(time, distinct, clock);
  await journal.append([{ kind: 'genesis', time, funded: distinct, hash: machine.miner.tip.hash }]);
  restored.machine = machine;
  for (const address of distinct) restored.funded.add(address.toLowerCase());
}

async function createMachine(genesisTime: number, funded: readonly Address[], clock: () => Date) {
  const evm = await createEvm({ funded, genesisTime, automine: false });
  return { evm, miner: await Miner.on(evm, clock) };
}

export class DurableChain {
  readonly #evm: Evm;
  readonly #miner: Miner;
  readonly #journal: Journal;
  readonly #options: DurableChainOptions;
  readonly #funded: Set<string>;
  #waiting: Map<Hash, Waiting>;
  #lastUsed: number;

  /** Nobody reads while blocks are made and written: until that is done they may yet turn out never to have been. */
  readonly #turns = limitConcurrency(
    1,
    MAX_WAITING_REQUESTS,
    () => new JsonRpcError(errorCodes.limitExceeded, 'The development chain has too many requests waiting.'),
  );
  /** They share the next block and its write to the disk. */
  #sent: Sent[] = [];
  #emptyBlockTimer: NodeJS.Timeout | undefined;
  /** Why no more transactions are taken. */
  #stopped: JsonRpcError | undefined;
  /** The journal could not be written, last time. */
  #hasFault = false;

  constructor({ machine, funded, waiting, lastUsed }: Restored, journal: Journal, options: DurableChainOptions) {
    if (!machine) throw new Error('A chain needs a genesis.');
    this.#evm = machine.evm;
    this.#miner = machine.miner;
    this.#journal = journal;
    this.#options = options;
    this.#funded = funded;
    this.#waiting = waiting;
    this.#lastUsed = lastUsed;
  }

  /** Does what an earlier process had still to do. */
  async prepare(): Promise<void> {
    for (const address of this.#options.funded) await this.#fund(address);
    if (this.#waiting.size > 0) await this.#makeBlocks([]);
    this.#planEmptyBlock();
  }

  /** Reads; what changes the chain is `send`. */
  request(call: JsonRpcCall): Promise<unknown> {
    return this.#turns(async () => this.#describeWaiting(call) ?? (await this.#evm.request(call)));
  }

  /** Settles when the transaction is in a block on the disk, or is on the disk as one that waits for its nonce or fee. */
  send(transaction: Hex): Promise<Hash> {
    return new Promise((resolve, reject) => {
      if (this.#stopped) return reject(this.#stopped);
      this.#sent.push({ transaction, resolve, reject });
      if (this.#sent.length > 1) return;
      this.#turns(() => this.#makeBlocks(this.#takeSent())).catch((error) => {
        for (const sent of this.#takeSent()) sent.reject(error);
      });
    });
  }

  async close(): Promise<void> {
    this.#stopped ??= new JsonRpcError(errorCodes.server, 'The development chain is being stopped.');
    clearTimeout(this.#emptyBlockTimer);
    await this.#turns(() => this.#journal.close());
  }

  #takeSent(): Sent[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  #describeWaiting({ method, params }: JsonRpcCall): unknown {
    if (method !== 'eth_getTransactionByHash') return undefined;
    const hash = params?.[0];
    return isHex(hash) ? this.#waiting.get(hash)?.description : undefined;
  }

  async #makeBlocks(sent: readonly Sent[], orEmpty = false): Promise<void> {
    if (this.#stopped) {
      for (const { reject } of sent) reject(this.#stopped);
      return;
    }
    try {
      const outcome = await this.#miner.mine<Sent | Waiting>([...this.#waiting.values(), ...sent]);
      const { blocks } = outcome;
      if (orEmpty && blocks.length === 0) blocks.push(await this.#miner.mineEmpty());
      const waiting = this.#waitingAfter(outcome);
      const records = [...this.#newlyWaiting(waiting), ...blocks.map(blockRecord)];
      if (await this.#write(records, blocks, sent)) {
        this.#waiting = waiting;
        this.#lastUsed = blocks.findLast(({ content }) => content.length > 0)?.number ?? this.#lastUsed;
        answer(sent, outcome);
      }
    } catch (error) {
      this.#stop(error, sent);
    }
    this.#planEmptyBlock();
  }

  #waitingAfter({ unripe, refused }: Outcome<Sent | Waiting>): Map<Hash, Waiting> {
    const waiting = new Map<Hash, Waiting>();
    for (const { candidate, hash, description } of unripe) {
      if (waiting.size < MAX_UNRIPE) waiting.set(hash, { transaction: candidate.transaction, hash, description });
      else refused.set(candidate, new JsonRpcError(errorCodes.server, 'txpool is full'));
    }
    return waiting;
  }

  #newlyWaiting(waiting: ReadonlyMap<Hash, Waiting>): JournalRecord[] {
    return [...waiting.values()]
      .filter(({ hash }) => !this.#waiting.has(hash))
      .map(({ hash, transaction }) => ({ kind: 'waiting', hash, transaction }));
  }

  /** What the journal cannot take has never been: a full disk may have room again when it is sent the next time. */
  async #write(
    records: readonly JournalRecord[],
    blocks: readonly MinedBlock[],
    sent: readonly Sent[],
  ): Promise<boolean> {
    try {
      if (records.length === 0) return true;
      await this.#journal.append(records);
      this.#hasFault = false;
      return true;
    } catch (reason) {
      await this.#miner.undo(blocks);
      const refusal = new JsonRpcError(
        errorCodes.server,
        'The development chain takes no transactions right now, because its journal cannot be written. ' +
          'See the log of the service.',
      );
      for (const { reject } of sent) reject(refusal);
      if (!this.#hasFault) this.#options.onFault(reason);
      this.#hasFault = true;
      return false;
    }
  }

  /** The machine may have blocks that the journal lacks: none follows them. Reading goes on. */
  #stop(reason: unknown, sent: readonly Sent[]): void {
    this.#stopped = new JsonRpcError(
      errorCodes.server,
      'The development chain takes no more transactions. See the log of the service, and start it again.',
    );
    for (const { reject } of sent) reject(this.#stopped);
    this.#options.onFault(reason);
  }

  #planEmptyBlock(): void {
    const wanted = this.#lastUsed === 0 ? 0 : this.#lastUsed + this.#options.confirmations - 1;
    if (this.#stopped || this.#emptyBlockTimer || this.#miner.tip.number >= wanted) return;
    this.#emptyBlockTimer = setTimeout(() => {
      this.#emptyBlockTimer = undefined;
      this.#turns(() => this.#makeBlocks([], true)).catch(this.#options.onFault);
    }, EMPTY_BLOCK_MS).unref();
  }

  /** An address that was not there at the genesis gets its money now. */
  async #fund(address: Address): Promise<void> {
    if (this.#funded.has(address.toLowerCase())) return;
    const has = await this.#evm.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    const balance = numberToHex(hexToBigInt(Value.Parse(Amount, has)) + FUNDING_WEI);
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

function answer(sent: readonly Sent[], { blocks, unripe, refused }: Outcome<Sent | Waiting>): void {
  const taken = [...blocks.flatMap(({ content }) => content), ...unripe];
  const hashes = new Map(taken.map(({ candidate, hash }) => [candidate, hash]));
  for (const one of sent) {
    const hash = hashes.get(one);
    const error = refused.get(one);
    if (error) one.reject(error);
    else if (hash) one.resolve(hash);
    // Another of the same sender and nonce came with it and paid more.
    else one.reject(new JsonRpcError(errorCodes.server, 'replacement transaction underpriced'));
  }
}
