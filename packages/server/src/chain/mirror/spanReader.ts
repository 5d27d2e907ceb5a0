// Reads a span of blocks from the node: what the registry logged there, checked against the headers of the blocks, and
// completed by what the events do not say.

import {
  type JsonRpcClient,
  JsonRpcError,
  NodeUnavailableError,
  type RegistryEvent,
  ResponseTooLargeError,
  readRegistryEvents,
} from '@provenance-registry/chain-client';
import type { Hex, MirroredBlock, MirroredSpan, MirrorState, MirrorStore } from '../../domain/ports/index.js';
import { readBlocks, requireBlock, requireConsistent } from './blocks.js';
import { toEntries } from './entries.js';

/** Public nodes refuse to search more blocks at once; some refuse less as well. */
const MAX_SPAN = 10_000n;
/** Spans with more events do not grow: some nodes refuse more than 10,000 results, and a response must fit into memory. */
const GROW_BELOW_EVENTS = 2_500;
/** After a refusal, so many spans are read before a wider one is tried. */
const SPANS_UNTIL_WIDER = 16;

/** The chain has changed since the last look at it. */
export class ReorganizedError extends Error {
  override readonly name = 'ReorganizedError';
}

export interface SpanReaderOptions {
  readonly node: JsonRpcClient;
  /** Reads the logs of a span: its limit keeps spans small that have many. */
  readonly logNode: JsonRpcClient;
  /** Accepts a larger response, for a single block. */
  readonly largeResponseNode: JsonRpcClient;
  readonly registry: Hex;
  readonly store: Pick<MirrorStore, 'findKnown'>;
  /** So many of the blocks before are read again with the newest ones: some nodes index logs late. 0: not this one. */
  readonly rereadBlocks: bigint;
}

export class SpanReader {
  readonly #options: SpanReaderOptions;
  #width = MAX_SPAN;
  #spansSinceRefusal = SPANS_UNTIL_WIDER;

  constructor(options: SpanReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads what follows the mirrored block, up to the head at most. Throws InvalidResultError when the node contradicts
   * itself, and ReorganizedError when the mirrored block is no longer in the chain.
   */
  async read(state: MirrorState, head: MirroredBlock): Promise<MirroredSpan> {
    const { node, registry } = this.#options;
    const { mirroredBlock, mirroredHash } = state;
    const { events: following, to, hash } = await this.#readEvents(mirroredBlock + 1n, head);
    const events = [...(to === head.number ? await this.#readAgain(state) : []), ...following];
    const numbers = new Set([...events.map(({ blockNumber }) => blockNumber), to]);
    if (mirroredHash !== undefined) numbers.add(mirroredBlock);
    const blocks = await readBlocks(node, numbers);
    // The hash of the last block covers all blocks before it: if it has not changed meanwhile, nothing else has.
    const isContinued = mirroredHash === undefined || blocks.get(mirroredBlock)?.hash === mirroredHash;
    if (!isContinued || blocks.get(to)?.hash !== hash) throw new ReorganizedError('the chain was reorganized');
    requireConsistent(events, blocks);
    const { registrars } = state;
    const changes = await toEntries({ node, registry, registrars }, events, blocks);
    return { block: { number: to, hash }, headBlock: head.number, ...changes };
  }

  /** Narrower next time. */
  #recordRefusal(refused: bigint): void {
    this.#width = refused > 1n ? refused / 2n : 1n;
    this.#spansSinceRefusal = 0;
  }

  #recordSuccess(events: number): void {
    this.#spansSinceRefusal += 1;
    if (events < GROW_BELOW_EVENTS && this.#spansSinceRefusal >= SPANS_UNTIL_WIDER)
      this.#width = min(2n * this.#width, MAX_SPAN);
  }

  /** Undefined when the node refuses so many blocks. */
  async #tryToRead(from: bigint, to: bigint): Promise<RegistryEvent[] | undefined> {
    const { logNode, largeResponseNode, registry } = this.#options;
    try {
      const events = await readRegistryEvents(from === to ? largeResponseNode : logNode, registry, { from, to });
      this.#recordSuccess(events.length);
      return events;
    } catch (error) {
      // A node that takes too long is asked for less, too.
      if (error instanceof JsonRpcError || error instanceof NodeUnavailableError) this.#recordRefusal(to - from + 1n);
      if (from < to && (error instanceof JsonRpcError || error instanceof ResponseTooLargeError)) return undefined;
      throw error;
    }
  }

  /** The events from this block on, up to the last block of a span that the node accepts. */
  async #readEvents(from: bigint, head: MirroredBlock) {
    const { node } = this.#options;
    for (;;) {
      const to = min(from + this.#width - 1n, head.number);
      const { hash } = to === head.number ? head : await requireBlock(node, to);
      const events = await this.#tryToRead(from, to);
      if (events) return { events, to, hash };
    }
  }

  /** The public ones alone: missing curated ones are noticed by their number. */
  async #readAgain({ mirroredBlock, firstBlock }: MirrorState): Promise<RegistryEvent[]> {
    const { node, registry, rereadBlocks } = this.#options;
    const from = max(mirroredBlock - rereadBlocks + 1n, firstBlock);
    if (from > mirroredBlock) return [];
    return this.#findNew(await readRegistryEvents(node, registry, { from, to: mirroredBlock, withoutCurated: true }));
  }

  async #findNew(events: readonly RegistryEvent[]): Promise<RegistryEvent[]> {
    const { store } = this.#options;
    const entries = events.filter((event) => event.kind === 'public');
    if (entries.length === 0) return [...events];
    const known = await store.findKnown(entries.map((event) => ({ ...event, source: 'public' as const })));
    const isKnown = new Set<RegistryEvent>(entries.filter((_, index) => known.has(index)));
    return events.filter((event) => !isKnown.has(event));
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
