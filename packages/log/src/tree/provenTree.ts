// A tree as its published files have it: every hash and every entry that is read is proven to be in the tree.

import { concatBytes, isSameBytes } from '../encoding.js';
import { LogFileError, LogFormatError } from '../errors.js';
import { decodeBundle, encodeBundle, MAX_BUNDLE_BYTES } from './bundles.js';
import type { TileFile } from './edge.js';
import type { TreeHasher } from './hasher.js';
import type { TreeHead } from './proofs.js';
import { readRoot, type TiledTree } from './tiledTree.js';
import { decodeTile, formatTilePath, HashTile, lastTile, TILE_BYTES, TILE_WIDTH, type TilePosition } from './tiles.js';

/** Reads a file of at most so many bytes. Undefined: there is none. */
export type ReadLogFile = (path: string, maxBytes: number) => Promise<Uint8Array | undefined>;

/** How the hashes of a tile, or the entries of a bundle, are in a file. */
interface Format {
  readonly maxBytes: number;
  readonly decode: (bytes: Uint8Array, width: number) => Uint8Array[];
  readonly encode: (content: readonly Uint8Array[]) => Uint8Array;
}

const tileFormat: Format = { maxBytes: TILE_BYTES, decode: decodeTile, encode: concatBytes };
const bundleFormat: Format = { maxBytes: MAX_BUNDLE_BYTES, decode: decodeBundle, encode: encodeBundle };

export class ProvenTree {
  /** The incomplete tiles, by level. The root is made of them. */
  readonly #edge = new Map<TilePosition['level'], HashTile>();
  /** The complete tile of each level that was read last: those below it are read in order. */
  readonly #kept = new Map<number, { readonly index: number; readonly tile: Promise<HashTile> }>();
  #files: TileFile[] = [];

  private constructor(
    readonly head: TreeHead,
    private readonly readFile: ReadLogFile,
    private readonly hasher: TreeHasher,
  ) {}

  /** @throws LogFileError if files are missing, or are not those of the tree */
  static async open(head: TreeHead, readFile: ReadLogFile, hasher: TreeHasher): Promise<ProvenTree> {
    const tree = new ProvenTree(head, readFile, hasher);
    await tree.#openEdge();
    return tree;
  }

  async #openEdge(): Promise<void> {
    const { size, root } = this.head;
    const paths: string[] = [];
    const found = await readRoot({
      size,
      hasher: this.hasher,
      readTile: async (position) => {
        const { content, file } = await this.#read(position, tileFormat);
        const tile = new HashTile(content, this.hasher);
        this.#edge.set(position.level, tile);
        this.#files.push(file);
        paths.push(file.path);
        return tile;
      },
    });
    if (!isSameBytes(found, root)) throw new LogFileError(paths.join(', '), 'wrong');
  }

  /** The root of the tree when it had that size. */
  async readRoot(size: number): Promise<Uint8Array> {
    if (!(size >= 0 && size <= this.head.size)) throw new RangeError('The tree has never had that size.');
    return readRoot({ ...this.asTree(), size });
  }

  /** For proofs. */
  asTree(): TiledTree {
    const readTile = ({ level, index }: TilePosition) => this.#readTile(Number(level), index);
    return { size: this.head.size, hasher: this.hasher, readTile };
  }

  /** The entries from index 256 × `number` on, at most 256. */
  async readBundle(number: number): Promise<Uint8Array[]> {
    const width = Math.min(TILE_WIDTH, this.head.size - number * TILE_WIDTH);
    const [{ content, file }, tile] = await Promise.all([
      this.#read({ level: 'entries', index: number, width }, bundleFormat),
      this.#readTile(0, number),
    ]);
    const isRight = (entry: Uint8Array, place: number) =>
      isSameBytes(this.hasher.hashLeaf(entry), tile.readSubtree(0, place));
    if (!content.every(isRight)) throw new LogFileError(file.path, 'wrong');
    this.#files.push(file);
    return content;
  }

  /** What was read since the last call. */
  takeFiles(): TileFile[] {
    const files = this.#files;
    this.#files = [];
    return files;
  }

  /** May have more hashes than the tile of a smaller tree, which begin with those. */
  #readTile(level: number, index: number): Promise<HashTile> {
    const edge = this.#edge.get(level);
    if (edge && index === lastTile(level, this.head.size).index) return Promise.resolve(edge);
    const kept = this.#kept.get(level);
    if (kept?.index === index) return kept.tile;
    const tile = this.#proveTile(level, index);
    this.#kept.set(level, { index, tile });
    return tile;
  }

  /** The hash of a complete tile is in the tile above, up to one of the edge. */
  async #proveTile(level: number, index: number): Promise<HashTile> {
    const [{ content, file }, above] = await Promise.all([
      this.#read({ level, index, width: TILE_WIDTH }, tileFormat),
      this.#readTile(level + 1, Math.floor(index / TILE_WIDTH)),
    ]);
    const tile = new HashTile(content, this.hasher);
    if (!isSameBytes(tile.readRoot(), above.readSubtree(0, index % TILE_WIDTH))) {
      throw new LogFileError(file.path, 'wrong');
    }
    this.#files.push(file);
    return tile;
  }

  /** A log may have removed an incomplete tile that was completed since. */
  async #read(
    position: TilePosition,
    { maxBytes, decode, encode }: Format,
  ): Promise<{ readonly content: Uint8Array[]; readonly file: TileFile }> {
    const path = formatTilePath(position);
    try {
      const bytes = await this.readFile(path, maxBytes);
      if (bytes) return { content: decode(bytes, position.width), file: { path, bytes } };
      const complete = await this.readFile(formatTilePath({ ...position, width: TILE_WIDTH }), maxBytes);
      if (!complete) throw new LogFileError(path, 'missing');
      const content = decode(complete, TILE_WIDTH).slice(0, position.width);
      return { content, file: { path, bytes: encode(content) } };
    } catch (error) {
      throw error instanceof LogFormatError ? new LogFileError(path, 'malformed') : error;
    }
  }
}
