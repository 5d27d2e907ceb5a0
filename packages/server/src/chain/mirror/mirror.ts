// Follows the registry contract's events into the database, so that lookups need no call to the node. One process does so
// at a time. What the node says is checked; what it takes back, or has left out, is corrected.

import { randomUUID } from 'node:crypto';
import {
  createJsonRpcClient,
  type Head,
  InvalidResultError,
  type JsonRpcClient,
  nodeErrorMessage,
  readBlock,
  readChainId,
  readCuratedCount,
  readHead,
} from '@provenance-registry/chain-client';
import {
  type Hex,
  type Lease,
  MIRROR_FRESH_MS,
  MIRROR_MAX_BLOCKS_BEHIND,
  type MirrorState,
  type MirrorStore,
} from '../../domain/ports/index.js';
import { JobLoop } from '../../jobs/jobLoop.js';
import { mirrorFaults } from '../../monitoring/metrics.js';
import { findFirstBlock } from './firstBlock.js';
import { ReorganizedError, SpanReader } from './spanReader.js';

/** A node needs seconds to search 10,000 blocks. */
const CALL_TIMEOUT_MS = 15_000;
/** The logs of a span: about 1,300 registrations, which are parsed without a noticeable pause. */
const MAX_SPAN_BYTES = 2 * 1024 * 1024;
/** The logs of a single block, which cannot be read in parts: 40,000 registrations. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
/** Number of stored blocks that are compared with the node's in one request. */
const COMPARED_BLOCKS = 32;
/** A deeper reorganization must last a while before it is believed: a wrong node must not empty the mirror. */
const EXPECTED_DEPTH = 64n;
/** The part of the lease's time after which it is renewed. */
const LEASE_RENEWAL_FRACTION = 1 / 3;
/** After failures in a row, the pause is one, two, three, … times as long, up to this. */
const MAX_PAUSE_FACTOR = 10;
/** So many times only the blocks since the last agreement are read again, then all of them. */
const SHORT_RESCANS = 2;

export interface MirrorTimes {
  /** Between two looks at the newest block: new entries are visible within two seconds. */
  readonly pollMs: number;
  /** Between two attempts to take over from another process. */
  readonly waitMs: number;
  /** Between two confirmations of an unchanged chain: several fit into the time that one lasts. */
  readonly confirmMs: number;
  /** So long, a node that is behind or contradicts many blocks is not followed. */
  readonly patienceMs: number;
  /** Before the blocks are read again that lack entries; doubled each time, up to `maxRescanMs`. */
  readonly rescanMs: number;
  readonly maxRescanMs: number;
  /** Another process takes over after this much silence. */
  readonly leaseMs: number;
}

const defaultTimes: MirrorTimes = {
  pollMs: 1_000,
  waitMs: 5_000,
  confirmMs: 5_000,
  patienceMs: MIRROR_FRESH_MS,
  rescanMs: 1_000,
  maxRescanMs: 600_000,
  leaseMs: 15_000,
};

export interface MirrorOptions {
  readonly store: MirrorStore;
  readonly url: string;
  readonly chainId: number;
  readonly registry: Hex;
  /** The node may index logs later than blocks, as clusters of nodes do. */
  readonly isIndexedLate: boolean;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
  readonly times?: Partial<MirrorTimes>;
}

/** The name is that of the row in `leases`. */
const MIRROR_LEASE = 'chain mirror';

export class Mirror {
  readonly #options: MirrorOptions;
  readonly #times: MirrorTimes;
  readonly #lease: Lease;
  readonly #node: JsonRpcClient;
  readonly #reader: SpanReader;
  readonly #loop: JobLoop;
  /** Undefined until it is read, and after each failure: another process may have changed it. */
  #state: MirrorState | undefined;
  #leaseRenewedAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Since when the node is behind, or contradicts many blocks. */
  #doubtedSince: number | undefined;
  #rescans = 0;
  #isStopped = false;

  constructor(options: MirrorOptions) {
    const { url, registry, store, isIndexedLate, log } = options;
    this.#options = options;
    const times = { ...defaultTimes, ...options.times };
    this.#times = times;
    this.#lease = { name: MIRROR_LEASE, holder: randomUUID(), ms: times.leaseMs };
    this.#node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS });
    this.#reader = new SpanReader({
      node: this.#node,
      logNode: createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS, maxResponseBytes: MAX_SPAN_BYTES }),
      largeResponseNode: createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS, maxResponseBytes: MAX_BLOCK_BYTES }),
      registry,
      store,
      rereadBlocks: isIndexedLate ? 32n : 0n,
    });
    this.#loop = new JobLoop({
      step: () => this.#step(),
      describeReason: nodeErrorMessage,
      onFailure: (error, { reason, count, isNew }) => {
        this.#state = undefined;
        this.#leaseRenewedAt = Number.NEGATIVE_INFINITY;
        if (error instanceof InvalidResultError) mirrorFaults.inc({ reason: 'refused' });
        if (isNew) log('warn', { reason }, 'mirror: a step failed and will be retried');
        return times.pollMs * Math.min(count, MAX_PAUSE_FACTOR);
      },
    });
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    await this.#options.store.releaseLease(this.#lease).catch(() => undefined);
  }

  /** Returns the time until the next step. */
  async #step(): Promise<number> {
    if (!(await this.#holdLease())) {
      this.#state = undefined;
      return this.#times.waitMs;
    }
    const head = await readHead(this.#node);
    this.#state ??= await this.#openState(head);
    const isCounted = this.#state.countedBlock === this.#state.mirroredBlock;
    if (head.hash !== this.#state.mirroredHash || !isCounted) return this.#follow(this.#state, head);
    this.#doubtedSince = undefined;
    if (performance.now() - this.#confirmedAt >= this.#times.confirmMs) await this.#confirm(this.#state);
    return this.#times.pollMs;
  }

  async #holdLease(): Promise<boolean> {
    const { store } = this.#options;
    if (performance.now() - this.#leaseRenewedAt < this.#times.leaseMs * LEASE_RENEWAL_FRACTION) return true;
    if (!(await store.acquireLease(this.#lease))) return false;
    this.#leaseRenewedAt = performance.now();
    return true;
  }

  async #openState(head: Head): Promise<MirrorState> {
    const { store, chainId, registry, log } = this.#options;
    const stored = await store.readState({ chainId, registry });
    if (stored) return stored;
    const firstBlock = await findFirstBlock(this.#node, registry, head.number);
    log('info', { firstBlock: Number(firstBlock), headBlock: Number(head.number) }, 'mirror: starting');
    await store.start(this.#lease, { chainId, registry, firstBlock });
    const started = await store.readState({ chainId, registry });
    if (!started) throw new Error('the mirror was removed by another process');
    return started;
  }

  async #follow(from: MirrorState, head: Head): Promise<number> {
    const { store } = this.#options;
    const isOtherBlock = head.number === from.mirroredBlock && head.hash !== from.mirroredHash;
    if (isOtherBlock || head.number < from.mirroredBlock) return this.#reconcile(from, head);
    if (head.number - from.mirroredBlock > MIRROR_MAX_BLOCKS_BEHIND)
      await store.showHead(this.#lease, from, head.number);
    try {
      this.#state = await this.#mirrorUpTo(head, from);
    } catch (error) {
      if (!(error instanceof ReorganizedError && this.#state)) throw error;
      return this.#reconcile(this.#state, await readHead(this.#node));
    }
    if (this.#state.mirroredBlock < head.number) return 0;
    this.#doubtedSince = undefined;
    return this.#checkCount(this.#state);
  }

  /** Up to an earlier block when it is stopped, or loses the lease. */
  async #mirrorUpTo(head: Head, from: MirrorState): Promise<MirrorState> {
    const { store } = this.#options;
    let current = from;
    while (current.mirroredBlock < head.number && !this.#isStopped && (await this.#holdLease())) {
      current = await store.append(this.#lease, current, await this.#reader.read(current, head));
      this.#state = current;
    }
    return current;
  }

  /** A node that has left out logs, or invented some, shows another number of entries than it has logged. */
  async #checkCount(current: MirrorState): Promise<number> {
    const { store, registry, log } = this.#options;
    const count = await readCuratedCount(this.#node, registry, current.mirroredBlock);
    if (count === current.curatedCount) {
      this.#rescans = 0;
      await this.#confirm(current);
      return this.#times.pollMs;
    }
    this.#rescans += 1;
    mirrorFaults.inc({ reason: 'incomplete' });
    const { firstBlock, countedBlock, curatedCount } = current;
    const block = this.#rescans > SHORT_RESCANS ? firstBlock - 1n : countedBlock;
    this.#state =
      count > curatedCount
        ? await store.rescan(this.#lease, current, block)
        : await store.rollBack(this.#lease, current, block);
    const details = { contract: Number(count), mirror: Number(curatedCount) };
    log('warn', details, 'mirror: the numbers of curated entries differ; blocks are read again');
    return Math.min(this.#times.rescanMs * 2 ** (this.#rescans - 1), this.#times.maxRescanMs);
  }

  async #confirm(current: MirrorState): Promise<void> {
    const { store } = this.#options;
    this.#state = await store.confirm(this.#lease, current);
    this.#confirmedAt = performance.now();
  }

  /** Removes the entries of blocks that have vanished. */
  async #reconcile(current: MirrorState, head: Head): Promise<number> {
    const { store, chainId, log } = this.#options;
    const { common, oldestOther } = await this.#compareBlocks(current, head);
    // A node without other blocks is behind, and will catch up.
    if (oldestOther === undefined || current.mirroredBlock - oldestOther >= EXPECTED_DEPTH) {
      this.#doubtedSince ??= performance.now();
      if (performance.now() - this.#doubtedSince < this.#times.patienceMs) return this.#times.pollMs;
      if ((await readChainId(this.#node)) !== chainId) throw new InvalidResultError('the node is on another chain');
    }
    this.#doubtedSince = undefined;
    this.#state = await store.rollBack(this.#lease, current, common);
    mirrorFaults.inc({ reason: 'reorganization' });
    const details = { from: Number(current.mirroredBlock), to: Number(this.#state.mirroredBlock) };
    log('warn', details, 'mirror: the node has other blocks; entries are read again');
    return 0;
  }

  /** `common`: the newest stored block that the node has too, or the one before the contract's first. */
  async #compareBlocks(
    { mirroredBlock, firstBlock }: MirrorState,
    head: Head,
  ): Promise<{ readonly common: bigint; readonly oldestOther: bigint | undefined }> {
    const { store } = this.#options;
    let oldestOther: bigint | undefined;
    for (let from = head.number < mirroredBlock ? head.number : mirroredBlock; ; ) {
      const stored = await store.listBlocks(from, COMPARED_BLOCKS);
      const blocks = await Promise.all(stored.map(({ number }) => readBlock(this.#node, number)));
      for (const [index, { number, hash }] of stored.entries()) {
        if (blocks[index]?.hash === hash) return { common: number, oldestOther };
        oldestOther = number;
      }
      const last = stored.at(-1);
      if (!last) return { common: firstBlock - 1n, oldestOther };
      from = last.number - 1n;
    }
  }
}
