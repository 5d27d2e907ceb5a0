// The index of a copy, from fingerprints to leaves: made of the leaves alone, so that it can be made again at any time.

import {
  copyPaths,
  decodeIndex,
  encodeIndex,
  type FollowedLeaf,
  type IndexRecord,
  LogFormatError,
} from '@provenance-registry/log';
import { registrationOf } from '../registrations.js';
import type { CopyFolder } from './copyFolder.js';
import type { LeafReader } from './leafReader.js';

/** Some 50 MB. Each time, most files of the index are written again. */
const MAX_WAITING = 262_144;

interface Change {
  readonly added: IndexRecord[];
  /** Indexes of registrations that failed. */
  readonly removed: Set<number>;
}

export class IndexWriter {
  /** By the path of the file. */
  #changes = new Map<string, Change>();
  #waiting = 0;

  constructor(
    private readonly folder: CopyFolder,
    private readonly leaves: LeafReader,
  ) {}

  /** The copy must have the leaf, and all before it. */
  async add({ index, leaf }: Pick<FollowedLeaf, 'index' | 'leaf'>): Promise<void> {
    const registered = registrationOf(leaf);
    if (registered) this.#changeOf(registered).added.push({ fingerprint: registered.fingerprint, index });
    if (leaf?.kind === 'failed' && leaf.content.index < index) {
      const failed = registrationOf(await this.leaves.read(leaf.content.index));
      if (failed) this.#changeOf(failed).removed.add(leaf.content.index);
    }
    if (this.#waiting >= MAX_WAITING) await this.flush();
  }

  async flush(): Promise<void> {
    const changes = [...this.#changes];
    this.#changes = new Map();
    this.#waiting = 0;
    await this.folder.updateDerived(changes, applyChange);
  }

  #changeOf({ fingerprint }: Pick<IndexRecord, 'fingerprint'>): Change {
    const path = copyPaths.index(fingerprint);
    const change = this.#changes.get(path) ?? { added: [], removed: new Set() };
    this.#changes.set(path, change);
    this.#waiting += 1;
    return change;
  }
}

function applyChange(existing: Uint8Array | undefined, { added, removed }: Change): Uint8Array {
  return encodeIndex([...decodeOrForget(existing), ...added].filter(({ index }) => !removed.has(index)));
}

/** A damaged file is made again of all leaves when the command starts. */
function decodeOrForget(bytes: Uint8Array | undefined): IndexRecord[] {
  try {
    return bytes ? decodeIndex(bytes) : [];
  } catch (error) {
    if (error instanceof LogFormatError) return [];
    throw error;
  }
}
