// Notices that something has changed in folders. A walk then finds out what: events get lost, name files that no longer
// exist, and never come on network file systems, so callers also walk from time to time without one.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemReason } from '../errors.js';
import { type BytePath, toBytes } from '../walk/paths.js';

/** Between two walks: a file that is identical in both is no longer being written. */
const SETTLE_MS = 1000;

export function createFolderWatcher(signal: AbortSignal, notify: (message: string) => void) {
  const watchers = new Map<string, FSWatcher>();
  let hasChanged = false;
  let wake = () => {};
  let isFailureReported = false;

  function markChanged(): void {
    hasChanged = true;
    wake();
  }
  signal.addEventListener('abort', markChanged);

  function tryWatch(folder: BytePath): FSWatcher | undefined {
    try {
      return watch(toBytes(folder), markChanged);
    } catch (error) {
      if (!isFailureReported) {
        notify(`Some folders cannot be watched (${systemReason(error)}). Changes in them are found with a delay.`);
      }
      isFailureReported = true;
      return undefined;
    }
  }

  return {
    /** Has no effect for a folder that is already watched. */
    add(folder: BytePath): void {
      // By inode: another folder may have taken the name in the meantime.
      const stats = statSync(toBytes(folder), { bigint: true, throwIfNoEntry: false });
      const inodeId = stats && `${stats.dev}:${stats.ino}`;
      if (inodeId === undefined || watchers.has(inodeId)) return;
      const watcher = tryWatch(folder);
      if (!watcher) return;
      watchers.set(inodeId, watcher);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(inodeId);
        markChanged();
      });
    },
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
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
