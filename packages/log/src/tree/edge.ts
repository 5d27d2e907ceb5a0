// The right edge of a tree: its incomplete tiles and its incomplete bundle. All that appending needs, some 100 kB.

import { concatBytes, isSameBytes } from '../encoding.js';
import { LogProofError } from '../errors.js';
import { decodeBundle, encodeBundle } from './bundles.js';
import { joinSubtrees, type TreeHasher } from './hasher.js';
import type { TreeHead } from './proofs.js';
import { listSubtrees } from './ranges.js';
import { decodeTile, formatTilePath, HashTile, lastTile, locateSubtree, TILE_WIDTH } from './tiles.js';

export interface TreeEdge extends TreeHead {
  /** Hashes of the incomplete tile, by level; none where the last tile is complete. */
  readonly tiles: readonly (readonly Uint8Array[])[];
  /** Entries of the incomplete bundle. */
  readonly entries: readonly Uint8Array[];
}

/** A tile or a bundle to be published under its path. It never changes. */
export interface TileFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the edge of a published tree, the empty one included.
 * @throws LogProofError if the files are not those of the tree
 */
export async function readEdge(
  { size, root }: TreeHead,
  readFile: (path: string) => Promise<Uint8Array>,
  hasher: TreeHasher,
): Promise<TreeEdge> {
  const readTile = async (level: number) => {
    const tile = lastTile(level, size);
    return tile.width === 0 ? [] : decodeTile(await readFile(formatTilePath(tile)), tile.width);
  };
  const levels = Array.from({ length: countLevels(size) }, (_, level) => level);
  const bundle = { ...lastTile(0, size), level: 'entries' } as const;
  const [tiles, entries] = await Promise.all([
    Promise.all(levels.map(readTile)),
    bundle.width === 0 ? [] : readFile(formatTilePath(bundle)).then((bytes) => decodeBundle(bytes, bundle.width)),
  ]);
  const leafHashes = entries.map((entry) => hasher.hashLeaf(entry));
  const isBundleRight = isSameBytes(concatBytes(leafHashes), concatBytes(tiles[0] ?? []));
  if (!isBundleRight || !isSameBytes(hashTiles(size, tiles, hasher), root)) {
    throw new LogProofError('The published tiles are not those of the tree.');
  }
  return { size, root, tiles, entries };
}

/** Returns the edge after the entries, and the files to publish before its root: tiles and bundles that are new. */
export function appendEntries(
  edge: TreeEdge,
  entries: readonly Uint8Array[],
  hasher: TreeHasher,
): { readonly edge: TreeEdge; readonly files: readonly TileFile[] } {
  if (entries.length === 0) return { edge, files: [] };
  const files: TileFile[] = [];
  const publish = (level: number | 'entries', index: number, content: readonly Uint8Array[]) => {
    const path = formatTilePath({ level, index, width: content.length });
    files.push({ path, bytes: level === 'entries' ? encodeBundle(content) : concatBytes(content) });
  };
  const bundles = cutTiles([...edge.entries, ...entries]);
  const { index } = lastTile(0, edge.size);
  for (const [place, bundle] of bundles.entries()) publish('entries', index + place, bundle);

  const tiles = [...edge.tiles];
  let added = entries.map((entry) => hasher.hashLeaf(entry));
  for (let level = 0; added.length > 0; level += 1) {
    const cut = cutTiles([...(tiles[level] ?? []), ...added]);
    const { index } = lastTile(level, edge.size);
    for (const [place, hashes] of cut.entries()) publish(level, index + place, hashes);
    tiles[level] = incompleteOf(cut);
    added = cut.filter(isComplete).map((hashes) => new HashTile(hashes, hasher).readRoot());
  }
  const size = edge.size + entries.length;
  return { edge: { size, root: hashTiles(size, tiles, hasher), tiles, entries: incompleteOf(bundles) }, files };
}

/** Levels that have a tile, complete or not. */
function countLevels(size: number): number {
  let levels = 0;
  while (TILE_WIDTH ** levels <= size) levels += 1;
  return levels;
}

/** The root of a tree: each of the subtrees that it consists of is in an incomplete tile. */
function hashTiles(size: number, tiles: TreeEdge['tiles'], hasher: TreeHasher): Uint8Array {
  const opened = tiles.map((hashes) => new HashTile(hashes, hasher));
  const hashes = listSubtrees({ start: 0, end: size }).flatMap((subtree) => {
    const { tile, height, index } = locateSubtree(subtree, size);
    return opened[tile.level]?.readSubtree(height, index) ?? [];
  });
  return joinSubtrees(hashes, hasher);
}

function cutTiles(content: readonly Uint8Array[]): Uint8Array[][] {
  const count = Math.ceil(content.length / TILE_WIDTH);
  return Array.from({ length: count }, (_, place) => content.slice(place * TILE_WIDTH, (place + 1) * TILE_WIDTH));
}

const isComplete = (content: readonly Uint8Array[]) => content.length === TILE_WIDTH;

function incompleteOf(cut: readonly Uint8Array[][]): Uint8Array[] {
  return cut.find((content) => !isComplete(content)) ?? [];
}
