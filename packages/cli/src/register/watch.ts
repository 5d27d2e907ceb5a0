// Notices that something has changed in folders. A walk then finds out what: events get lost, name files that no longer
// exist, and never come on network file systems, so callers also walk from time to time without one.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, systemReason } from '../errors.js';
import { type BytePath, baseName, toBytes, toText } from '../walk/paths.js';

/** Pause between two walks: a file that is identical in both is no longer being written. */
const SETTLE_MS = 1000;

/** What the system says when it cannot watch more folders, which `systemReason` would call a full disk. */
const limitReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the limit fs.inotify.max_user_watches is reached',
  EMFILE: 'the limit fs.inotify.max_user_instances is reached',
};

interface WatchedInode {
  readonly inodeId: string;
  readonly watcher: FSWatcher;
}

/** @param onFailure called for the first folder that cannot be watched since the last scan without such a folder */
export function createFolderWatcher(signal: AbortSignal, onFailure: (reason: string) => void) {
  const watched = new Map<BytePath, WatchedInode>();
  const seenFolders = new Set<BytePath>();
  let hasChanged = false;
  let wake = () => {};
  let failure: string | undefined;
  let scanFailure: string | undefined;

  function markChanged(): void {
    hasChanged = true;
    wake();
  }
  signal.addEventListener('abort', markChanged);

  function unwatch(folder: BytePath): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  function startWatching(folder: BytePath): FSWatcher {
    const ownName = toText(baseName(folder));
    return watch(toBytes(folder), (_, name) => {
      // The folder itself was removed or renamed: its inode may soon be that of another folder.
      if (name === ownName) unwatch(folder);
      markChanged();
    });
  }

  function reportFailure(error: unknown): void {
    scanFailure ??= limitReasons[errorCode(error) ?? ''] ?? systemReason(error);
    if (failure === undefined) onFailure(scanFailure);
    failure = scanFailure;
  }

  return {
    /** Has no effect for a folder that is already watched. */
    add(folder: BytePath): void {
      seenFolders.add(folder);
      // By inode: another folder may have taken the name in the meantime.
      const stats = statSync(toBytes(folder), { bigint: true, throwIfNoEntry: false });
      const inodeId = stats && `${stats.dev}:${stats.ino}`;
      if (inodeId === undefined || watched.get(folder)?.inodeId === inodeId) return;
      unwatch(folder);
      try {
        const watcher = startWatching(folder);
        watched.set(folder, { inodeId, watcher });
        watcher.on('error', () => {
          unwatch(folder);
          markChanged();
        });
      } catch (error) {
        reportFailure(error);
      }
    },
    /** Ends a complete scan: stops watching folders that were not added since the last one. */
    endScan(): void {
      for (const folder of watched.keys()) if (!seenFolders.has(folder)) unwatch(folder);
      seenFolders.clear();
      failure = scanFailure;
      scanFailure = undefined;
    },
    /** Why folders cannot be watched, if the last scan found one. */
    failure: () => failure,
    /** Ends a wait for changes at once. */
    markChanged,
    /** Resolves shortly after a change, or when the time is over. */
    async waitForChange(timeoutMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, timeoutMs);
        });
      }
      clearTimeout(timer);
      // The caller checks the signal next.
      await delay(SETTLE_MS, undefined, { signal }).catch(() => {});
      hasChanged = false;
    },
    close(): void {
      for (const folder of watched.keys()) unwatch(folder);
    },
  };
}
