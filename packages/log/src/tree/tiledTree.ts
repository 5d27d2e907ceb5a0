// Roots and proofs of a tree, from its tiles.

import { joinSubtrees, type TreeHasher } from './hasher.js';
import { consistencyRanges, inclusionRanges, type LeafRange, listSubtrees, type Subtree } from './ranges.js';
import { type HashTile, locateSubtree, type TilePosition } from './tiles.js';

export interface TiledTree {
  readonly size: number;
  /** May return a tile that it has returned before, whose inner hashes are then not computed again. */
  readonly readTile: (position: TilePosition) => Promise<HashTile>;
  readonly hasher: TreeHasher;
}

export async function readRoot(tree: TiledTree): Promise<Uint8Array> {
  const [root] = await hashRanges([{ start: 0, end: tree.size }], tree);
  return root ?? tree.hasher.emptyRoot;
}

/** The hashes from the sibling of the leaf to the child of the root. */
export async function proveInclusion(tree: TiledTree, index: number): Promise<Uint8Array[]> {
  if (!(index >= 0 && index < tree.size)) throw new RangeError('The tree has no leaf of that index.');
  return hashRanges(inclusionRanges(index, tree.size), tree);
}

/** Proves that the tree begins with the tree of a smaller or the same size. */
export async function proveConsistency(tree: TiledTree, oldSize: number): Promise<Uint8Array[]> {
  if (!(oldSize >= 0 && oldSize <= tree.size)) throw new RangeError('The tree is smaller than that.');
  return oldSize === 0 ? [] : hashRanges(consistencyRanges(oldSize, tree.size), tree);
}

/** Reads all tiles at once, each a single time. */
async function hashRanges(ranges: readonly LeafRange[], { size, readTile, hasher }: TiledTree): Promise<Uint8Array[]> {
  const tiles = new Map<string, Promise<HashTile>>();
  const readHash = async (subtree: Subtree) => {
    const { tile, height, index } = locateSubtree(subtree, size);
    const key = `${tile.level}/${tile.index}`;
    const reading = tiles.get(key) ?? readTile(tile);
    tiles.set(key, reading);
    return (await reading).readSubtree(height, index);
  };
  const parts = await Promise.all(ranges.map((range) => Promise.all(listSubtrees(range).map(readHash))));
  return parts.map((hashes) => joinSubtrees(hashes, hasher));
}
