// Recognizes files that were renamed or moved, also from one watched folder to another, so that they are not hashed again.

import type { Journal, JournalRecord } from '../register/journal.js';
import type { FileIdentity } from '../walk/walk.js';

/**
 * The time of creation makes the inode number safe: file systems use a number again for another file, or give all files other
 * numbers when they are mounted.
 */
function identityKey({ ino, size, mtimeNs, birthtimeNs }: FileIdentity): string | undefined {
  return birthtimeNs ? [ino, size, mtimeNs, birthtimeNs].join(':') : undefined;
}

/**
 * Finds moved files during one scan. The index is built for the first file that has no record of its own, because it
 * costs memory.
 */
export function createMovedFileFinder(journals: () => Iterable<Journal>) {
  let index: Map<string, JournalRecord> | undefined;

  function buildIndex(): Map<string, JournalRecord> {
    const built = new Map<string, JournalRecord>();
    for (const journal of journals()) {
      for (const record of journal.records()) {
        const key = identityKey(record.identity);
        if (key !== undefined && !built.get(key)?.registered) built.set(key, record);
      }
    }
    return built;
  }

  return (identity: FileIdentity): JournalRecord | undefined => {
    const key = identityKey(identity);
    if (key === undefined) return undefined;
    index ??= buildIndex();
    return index.get(key);
  };
}
