// The index of a copy, from fingerprints to leaves: made of the leaves alone, so that it can be made again at any time.

import {
  copyPaths,
  decodeIndex,
  encodeIndex,
  type FollowedLeaf,
  type IndexRecord,
  LogFormatError,
} from '@provenance-registry/log';
import type { CopyFolder } from './copyFolder.js';
import { type LeafReader, registrationOf } from './leaves.js';

/** Some 50 MB. Each time, most files of the index are written again. */
const MAX_WAITING = 262_144;
const MAX_OPEN_FILES = 16;

interface Change {
  readonly added: IndexRecord[];
  /** Records of registrations that failed. */
  readonly removed: IndexRecord[];
}

export function createIndexWriter(folder: CopyFolder, readLeaf: LeafReader) {
  let changes = new Map<string, Change>();
  let waiting = 0;

  function changeOf({ fingerprint }: IndexRecord): Change {
    const path = copyPaths.index(fingerprint);
    const change = changes.get(path) ?? { added: [], removed: [] };
    changes.set(path, change);
    waiting += 1;
    return change;
  }

  /** The copy must have the leaf, and all before it. */
  async function add({ index, leaf }: Pick<FollowedLeaf, 'index' | 'leaf'>): Promise<void> {
    const registered = registrationOf(leaf);
    if (registered) {
      const record = { fingerprint: registered.fingerprint, index };
      changeOf(record).added.push(record);
    }
    if (leaf?.kind === 'failed' && leaf.content.index < index) {
      const failed = registrationOf(await readLeaf(leaf.content.index));
      const record = failed && { fingerprint: failed.fingerprint, index: leaf.content.index };
      if (record) changeOf(record).removed.push(record);
    }
    if (waiting >= MAX_WAITING) await flush();
  }

  async function flush(): Promise<void> {
    const paths = [...changes];
    changes = new Map();
    waiting = 0;
    const write = async () => {
      for (let next = paths.pop(); next; next = paths.pop()) await applyChange(folder, ...next);
    };
    await Promise.all(Array.from({ length: MAX_OPEN_FILES }, write));
  }

  return { add, flush };
}

async function applyChange(folder: CopyFolder, path: string, { added, removed }: Change): Promise<void> {
  const existing = await folder.read(path);
  const isRemoved = (record: IndexRecord) => removed.some(({ index }) => index === record.index);
  const records = [...decodeOrForget(existing), ...added].filter((record) => !isRemoved(record));
  const bytes = encodeIndex(records);
  if (!existing || Buffer.compare(existing, bytes) !== 0) await folder.replaceDerived(path, bytes);
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
