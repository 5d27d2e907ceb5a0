// Follows the registry contract's events into the database, so that lookups need no call to the node. One process does so
// at a time. What the node says is checked; what it takes back, or has left out, is corrected.

import { randomUUID } from 'node:crypto';
import {
  createJsonRpcClient,
  type Head,
  InvalidResultError,
  nodeErrorMessage,
  readBlock,
  readChainId,
  readCuratedCount,
  readHead,
} from '@provenance-registry/chain-client';
import {
  type Hex,
  MIRROR_FRESH_MS,
  MIRROR_MAX_BLOCKS_BEHIND,
  type MirrorState,
  type MirrorStore,
} from '../../domain/ports/index.js';
import { JobLoop } from '../../jobs/jobLoop.js';
import { mirrorFaults } from '../../monitoring/metrics.js';
import { findFirstBlock } from './firstBlock.js';
import { createSpanReader, ReorganizedError } from './spanReader.js';

/** A node needs seconds to search 10,000 blocks. */
const CALL_TIMEOUT_MS = 15_000;
/** The logs of a span: about 1,300 registrations, which are parsed without a noticeable pause. */
const MAX_SPAN_BYTES = 2 * 1024 * 1024;
/** The logs of a single block, which cannot be read in parts: 40,000 registrations. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;
/** Of stored blocks that are compared with the node's in one request. */
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

export interface Mirror {
  /** Resolves after the current step. */
  stop(): Promise<void>;
}

/** The name is that of the row in `leases`. */
const MIRROR_LEASE = 'chain mirror';

export function startMirror({
  store,
  url,
  chainId,
  registry,
  isIndexedLate,
  log,
  times: given,
}: MirrorOptions): Mirror {
  const times = { ...defaultTimes, ...given };
  const lease = { name: MIRROR_LEASE, holder: randomUUID(), ms: times.leaseMs };
  const node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS });
  const logNode = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS, maxResponseBytes: MAX_SPAN_BYTES });
  const largeResponseNode = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS, maxResponseBytes: MAX_BLOCK_BYTES });
  const reader = createSpanReader({
    node,
    logNode,
    largeResponseNode,
    registry,
    store,
    rereadBlocks: isIndexedLate ? 32n : 0n,
  });
  /** Undefined until it is read, and after each failure: another process may have changed it. */
  let state: MirrorState | undefined;
  let leaseRenewedAt = Number.NEGATIVE_INFINITY;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** Since when the node is behind, or contradicts many blocks. */
  let doubtedSince: number | undefined;
  let rescans = 0;
  let isStopped = false;

  const loop = new JobLoop({
    step,
    describeReason: nodeErrorMessage,
    onFailure(error, { reason, count, isNew }) {
      state = undefined;
      leaseRenewedAt = Number.NEGATIVE_INFINITY;
      if (error instanceof InvalidResultError) mirrorFaults.inc({ reason: 'refused' });
      if (isNew) log('warn', { reason }, 'mirror: a step failed and will be retried');
      return times.pollMs * Math.min(count, MAX_PAUSE_FACTOR);
    },
  });

  /** Returns the time until the next step. */
  async function step(): Promise<number> {
    if (!(await holdLease())) {
      state = undefined;
      return times.waitMs;
    }
    const head = await readHead(node);
    state ??= await openState(head);
    const isCounted = state.countedBlock === state.mirroredBlock;
    if (head.hash !== state.mirroredHash || !isCounted) return follow(state, head);
    doubtedSince = undefined;
    if (performance.now() - confirmedAt >= times.confirmMs) await confirm(state);
    return times.pollMs;
  }

  async function holdLease(): Promise<boolean> {
    if (performance.now() - leaseRenewedAt < times.leaseMs * LEASE_RENEWAL_FRACTION) return true;
    if (!(await store.acquireLease(lease))) return false;
    leaseRenewedAt = performance.now();
    return true;
  }

  async function openState(head: Head): Promise<MirrorState> {
    const stored = await store.readState({ chainId, registry });
    if (stored) return stored;
    const firstBlock = await findFirstBlock(node, registry, head.number);
    log('info', { firstBlock: Number(firstBlock), headBlock: Number(head.number) }, 'mirror: starting');
    await store.start(lease, { chainId, registry, firstBlock });
    const started = await store.readState({ chainId, registry });
    if (!started) throw new Error('the mirror was removed by another process');
    return started;
  }

  async function follow(from: MirrorState, head: Head): Promise<number> {
    const isOtherBlock = head.number === from.mirroredBlock && head.hash !== from.mirroredHash;
    if (isOtherBlock || head.number < from.mirroredBlock) return reconcile(from, head);
    if (head.number - from.mirroredBlock > MIRROR_MAX_BLOCKS_BEHIND) await store.showHead(lease, from, head.number);
    try {
      state = await mirrorUpTo(head, from);
    } catch (error) {
      if (!(error instanceof ReorganizedError && state)) throw error;
      return reconcile(state, await readHead(node));
    }
    if (state.mirroredBlock < head.number) return 0;
    doubtedSince = undefined;
    return checkCount(state);
  }

  /** Up to an earlier block when it is stopped, or loses the lease. */
  async function mirrorUpTo(head: Head, from: MirrorState): Promise<MirrorState> {
    let current = from;
    while (current.mirroredBlock < head.number && !isStopped && (await holdLease())) {
      current = await store.append(lease, current, await reader.read(current, head));
      state = current;
    }
    return current;
  }

  /** A node that has left out logs, or invented some, shows another number of entries than it has logged. */
  async function checkCount(current: MirrorState): Promise<number> {
    const count = await readCuratedCount(node, registry, current.mirroredBlock);
    if (count === current.curatedCount) {
      rescans = 0;
      await confirm(current);
      return times.pollMs;
    }
    rescans += 1;
    mirrorFaults.inc({ reason: 'incomplete' });
    const { firstBlock, countedBlock, curatedCount } = current;
    const block = rescans > SHORT_RESCANS ? firstBlock - 1n : countedBlock;
    state =
      count > curatedCount ? await store.rescan(lease, current, block) : await store.rollBack(lease, current, block);
    const details = { contract: Number(count), mirror: Number(curatedCount) };
    log('warn', details, 'mirror: the numbers of curated entries differ; blocks are read again');
    return Math.min(times.rescanMs * 2 ** (rescans - 1), times.maxRescanMs);
  }

  async function confirm(current: MirrorState): Promise<void> {
    state = await store.confirm(lease, current);
    confirmedAt = performance.now();
  }

  /** Removes the entries of blocks that have vanished. */
  async function reconcile(current: MirrorState, head: Head): Promise<number> {
    const { common, oldestOther } = await compareBlocks(current, head);
    // A node without other blocks is behind, and will catch up.
    if (oldestOther === undefined || current.mirroredBlock - oldestOther >= EXPECTED_DEPTH) {
      doubtedSince ??= performance.now();
      if (performance.now() - doubtedSince < times.patienceMs) return times.pollMs;
      if ((await readChainId(node)) !== chainId) throw new InvalidResultError('the node is on another chain');
    }
    doubtedSince = undefined;
    state = await store.rollBack(lease, current, common);
    mirrorFaults.inc({ reason: 'reorganization' });
    const details = { from: Number(current.mirroredBlock), to: Number(state.mirroredBlock) };
    log('warn', details, 'mirror: the node has other blocks; entries are read again');
    return 0;
  }

  /** `common`: the newest stored block that the node has too, or the one before the contract's first. */
  async function compareBlocks(
    { mirroredBlock, firstBlock }: MirrorState,
    head: Head,
  ): Promise<{ readonly common: bigint; readonly oldestOther: bigint | undefined }> {
    let oldestOther: bigint | undefined;
    for (let from = head.number < mirroredBlock ? head.number : mirroredBlock; ; ) {
      const stored = await store.listBlocks(from, COMPARED_BLOCKS);
      const blocks = await Promise.all(stored.map(({ number }) => readBlock(node, number)));
      for (const [index, { number, hash }] of stored.entries()) {
        if (blocks[index]?.hash === hash) return { common: number, oldestOther };
        oldestOther = number;
      }
      const last = stored.at(-1);
      if (!last) return { common: firstBlock - 1n, oldestOther };
      from = last.number - 1n;
    }
  }

  return {
    async stop() {
      isStopped = true;
      await loop.stop();
      await store.releaseLease(lease).catch(() => undefined);
    },
  };
}
