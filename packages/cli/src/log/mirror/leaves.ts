// The leaves of a copy, as its own bundles have them.

import type { Fingerprint } from '@provenance-registry/client';
import { copyPaths, decodeBundle, type Leaf, parseLeaf } from '@provenance-registry/log';
import type { CopyFolder } from './copyFolder.js';

const BUNDLE_WIDTH = 256;

export type LeafReader = (index: number) => Promise<Leaf | undefined>;

/** Reads leaves of a tree of that size, whose files the copy has. The last bundle is kept: most are read in order. */
export function createLeafReader(folder: CopyFolder, size: number): LeafReader {
  let kept: { readonly number: number; readonly entries: Promise<readonly Uint8Array[]> } | undefined;

  async function readBundle(number: number): Promise<readonly Uint8Array[]> {
    const width = Math.min(BUNDLE_WIDTH, size - number * BUNDLE_WIDTH);
    const path = copyPaths.tile({ level: 'entries', index: number, width });
    const bytes = await folder.read(path);
    return bytes ? decodeBundle(bytes, width) : [];
  }

  return async (index) => {
    const number = Math.floor(index / BUNDLE_WIDTH);
    if (kept?.number !== number) kept = { number, entries: readBundle(number) };
    const entry = (await kept.entries)[index % BUNDLE_WIDTH];
    return entry && parseLeaf(entry);
  };
}

/** What a leaf says of a file, if it registers one. */
export interface LoggedRegistration {
  readonly fingerprint: Fingerprint;
  readonly id: string;
  /** SHA-256 of the signed manifest. */
  readonly manifest: string;
}

export function registrationOf(leaf: Leaf | undefined): LoggedRegistration | undefined {
  return leaf?.kind === 'artifact' || leaf?.kind === 'rendition' ? leaf.content : undefined;
}
