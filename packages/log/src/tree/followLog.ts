// Follows a log from a checkpoint that is known to a later one: every leaf in between, each proven to be in the tree of both.

import { isSameBytes } from '../encoding.js';
import { LogForkError, LogFormatError } from '../errors.js';
import { type Leaf, parseLeaf } from '../leaves/leaf.js';
import type { TileFile } from './edge.js';
import type { TreeHasher } from './hasher.js';
import type { TreeHead } from './proofs.js';
import { ProvenTree, type ReadLogFile } from './provenTree.js';
import { TILE_WIDTH } from './tiles.js';

/** Bundles that are read at once: some two megabytes. A power of two, so that they have the same tiles above them. */
const BATCH_BUNDLES = 16;

export interface FollowedLeaf {
  readonly index: number;
  readonly entry: Uint8Array;
  /** Undefined for a kind that is not known here, and for what is no leaf. */
  readonly leaf: Leaf | undefined;
  /** Why the entry is no leaf. */
  readonly problem?: string;
}

export interface FollowedBatch {
  readonly leaves: readonly FollowedLeaf[];
  /** Tiles and bundles that were read for them. */
  readonly files: readonly TileFile[];
  /** The tree up to these leaves: from here, the log can be followed again. */
  readonly head: TreeHead;
}

export interface FollowOptions {
  /** Where the last time ended; the empty tree at first. */
  readonly from: TreeHead;
  readonly to: TreeHead;
  readonly readFile: ReadLogFile;
  readonly hasher: TreeHasher;
}

/**
 * Yields the leaves in order, some thousands at a time, of which a single batch is in memory.
 * @throws LogForkError if the tree does not begin with `from`, LogFileError for files that are not those of the tree
 */
export async function* followLog({ from, to, readFile, hasher }: FollowOptions): AsyncGenerator<FollowedBatch, void> {
  if (to.size < from.size) throw new LogForkError('The log has fewer leaves than before.');
  const tree = await ProvenTree.open(to, readFile, hasher);
  if (!isSameBytes(await tree.readRoot(from.size), from.root)) {
    throw new LogForkError(`The log no longer begins with the ${from.size} leaves that it had.`);
  }
  for (let first = Math.floor(from.size / TILE_WIDTH); first * TILE_WIDTH < to.size; ) {
    const end = Math.floor(first / BATCH_BUNDLES + 1) * BATCH_BUNDLES;
    const last = Math.min(end, Math.ceil(to.size / TILE_WIDTH));
    const numbers = Array.from({ length: last - first }, (_, place) => first + place);
    const bundles = await Promise.all(numbers.map((number) => tree.readBundle(number)));
    const start = Math.max(from.size, first * TILE_WIDTH);
    const entries = bundles.flat().slice(start - first * TILE_WIDTH);
    const size = start + entries.length;
    const leaves = entries.map((entry, place) => readLeaf(start + place, entry));
    yield { leaves, files: tree.takeFiles(), head: { size, root: await tree.readRoot(size) } };
    first = last;
  }
}

function readLeaf(index: number, entry: Uint8Array): FollowedLeaf {
  try {
    return { index, entry, leaf: parseLeaf(entry) };
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error;
    return { index, entry, leaf: undefined, problem: error.message };
  }
}
