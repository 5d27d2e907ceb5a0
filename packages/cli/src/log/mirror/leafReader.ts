// The leaves of a copy, as its own bundles have them.

import { copyPaths, decodeBundle, type Leaf, parseLeaf, TILE_WIDTH } from '@provenance-registry/log';
import type { CopyFolder } from './copyFolder.js';

/** Reads leaves of a tree of that size, whose files the copy has. The last bundle is kept: most are read in order. */
export class LeafReader {
  #kept: { readonly number: number; readonly entries: Promise<readonly Uint8Array[]> } | undefined;

  constructor(
    private readonly folder: CopyFolder,
    private readonly size: number,
  ) {}

  async read(index: number): Promise<Leaf | undefined> {
    const number = Math.floor(index / TILE_WIDTH);
    if (this.#kept?.number !== number) this.#kept = { number, entries: this.#readBundle(number) };
    const entry = (await this.#kept.entries)[index % TILE_WIDTH];
    return entry && parseLeaf(entry);
  }

  async #readBundle(number: number): Promise<readonly Uint8Array[]> {
    const width = Math.min(TILE_WIDTH, this.size - number * TILE_WIDTH);
    const bytes = await this.folder.read(copyPaths.tile({ level: 'entries', index: number, width }));
    return bytes ? decodeBundle(bytes, width) : [];
  }
}
