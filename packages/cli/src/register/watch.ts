// Notices that something has changed in folders. What it was, a walk finds out: events get lost, name things that are
// gone already, and on network file systems never come. So there is a look now and then without any, too.

import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemReason } from '../errors.js';
import { type BytePath, bytesOf } from './paths.js';

export interface FolderWatch {
  /** Does nothing for a folder that is watched already. */
  add(folder: BytePath): void;
  /** Settles a moment after something has changed, or after so long without a change. */
  change(longestMs: number): Promise<void>;
  close(): void;
}

/** Between two looks: a file that is the same at both is not being written. */
const MOMENT_MS = 1000;

export function watchFolders(signal: AbortSignal, say: (message: string) => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let isDirty = false;
  let wake = () => {};
  let isSaid = false;

  function changed(): void {
    isDirty = true;
    wake();
  }
  signal.addEventListener('abort', changed);

  function open(folder: BytePath): FSWatcher | undefined {
    try {
      return watch(bytesOf(folder), changed);
    } catch (error) {
      if (!isSaid)
        say(`Not every folder can be watched (${systemReason(error)}): some changes are found after a while.`);
      isSaid = true;
      return undefined;
    }
  }

  return {
    add(folder) {
      // By what it is and not by its name: another folder may have that name by now.
      const stats = statSync(bytesOf(folder), { bigint: true, throwIfNoEntry: false });
      const id = stats && `${stats.dev}:${stats.ino}`;
      if (id === undefined || watchers.has(id)) return;
      const watcher = open(folder);
      if (!watcher) return;
      watchers.set(id, watcher);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(id);
        changed();
      });
    },
    async change(longestMs) {
      let timer: NodeJS.Timeout | undefined;
      if (!isDirty) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, longestMs);
        });
      }
      clearTimeout(timer);
      // Cut short or not: whoever waits looks at the signal next.
      await delay(MOMENT_MS, undefined, { signal }).catch(() => {});
      isDirty = false;
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
