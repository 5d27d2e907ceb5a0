// Tiles of c2sp.org/tlog-tiles: 256 hashes of a level, or 256 entries, in a file each; and the tree as read from them.

import { HASH_BYTES } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import type { TreeHasher } from './hasher.js';
import type { Subtree } from './ranges.js';

/** Levels of the tree from the hashes of one tile to those of the tile above. */
const TILE_HEIGHT = 8;
/** Hashes or entries in a complete tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT;
/** In a complete tile of hashes. */
export const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
const MAX_LEVEL = 63;

export interface TilePosition {
  /** Tiles of level 0 have the hashes of leaves, each level above the roots of complete tiles; `entries` the leaves. */
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256; fewer than 256 in the last tile of a level. */
  readonly width: number;
}

const pathForm = /^tile\/(entries|[0-9]{1,2})\/((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([0-9]{1,3}))?$/;

/** The path below the address of the log: `tile/0/x001/x234/067`, `tile/entries/000.p/5`. */
export function formatTilePath({ level, index, width }: TilePosition): string {
  const digits = String(index);
  const groups = digits.padStart(3 * Math.ceil(digits.length / 3), '0').match(/.{3}/g) ?? [];
  const name = groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${name}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** @throws LogFormatError unless it is exactly the path of a tile */
export function parseTilePath(path: string): TilePosition {
  const [, level = '', name = '', width] = pathForm.exec(path) ?? [];
  const position: TilePosition = {
    level: level === 'entries' ? level : Number(level),
    index: Number(name.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  const isKnown = position.level === 'entries' || position.level <= MAX_LEVEL;
  // The index is zero-padded to whole groups and no further, other numbers not at all.
  const isExact = name !== '' && position.width > 0 && formatTilePath(position) === path;
  if (!isKnown || !isExact || !Number.isSafeInteger(position.index))
    throw new LogFormatError('This is not the path of a tile.');
  return position;
}

/** The incomplete tile of a level in a tree of that size; width 0 if there is none. */
export function lastTile(level: number, size: number): TilePosition {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return { level, index: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH };
}

/** The hashes of a tile, and those above them as far as they were asked for. */
export class HashTile {
  /** By height above the tile's own hashes. */
  readonly #hashes: (readonly Uint8Array[])[];

  constructor(
    hashes: readonly Uint8Array[],
    private readonly hasher: TreeHasher,
  ) {
    this.#hashes = [hashes];
  }

  /** The root of a complete subtree of 2^`height` of the tile's hashes. */
  readSubtree(height: number, index: number): Uint8Array {
    while (this.#hashes.length <= height) this.#hashes.push(hashPairs(this.#hashes.at(-1) ?? [], this.hasher));
    const hash = this.#hashes[height]?.[index];
    if (!hash) throw new LogFormatError('A tile has fewer hashes than the tree.');
    return hash;
  }

  readRoot(): Uint8Array {
    return this.readSubtree(TILE_HEIGHT, 0);
  }
}

/** @throws LogFormatError unless it has exactly that many hashes */
export function decodeTile(bytes: Uint8Array, width: number): Uint8Array[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new LogFormatError('A tile does not have the number of hashes of its path.');
  return Array.from({ length: width }, (_, index) => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES));
}

function hashPairs(hashes: readonly Uint8Array[], hasher: TreeHasher): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let index = 0; index + 1 < hashes.length; index += 2) {
    const [left, right] = [hashes[index], hashes[index + 1]];
    if (left && right) above.push(hasher.hashNode(left, right));
  }
  return above;
}

/** Where the hash of a complete subtree is found in a tree of that size. */
export function locateSubtree({ height, index }: Subtree, size: number) {
  const level = Math.floor(height / TILE_HEIGHT);
  const heightInTile = height % TILE_HEIGHT;
  const subtreesPerTile = TILE_WIDTH / 2 ** heightInTile;
  const tileIndex = Math.floor(index / subtreesPerTile);
  const last = lastTile(level, size);
  const width = tileIndex < last.index ? TILE_WIDTH : last.width;
  return { tile: { level, index: tileIndex, width }, height: heightInTile, index: index % subtreesPerTile };
}
