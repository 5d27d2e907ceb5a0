// Keeps the list in the browser, so that a reload loses nothing that can be kept. Each tab has a list of its own; a lock
// that ends with the tab tells the others when they may take over what it leaves behind.

import type { Queue } from './queue.js';
import { type Row, restored } from './queueRow.js';

/** Between two writes: a crash loses no more than this. */
const SAVE_AFTER_MS = 300;

interface KeeperPorts {
  readonly userId: string;
  readonly tab: string;
  /** Undefined where the browser keeps nothing. */
  readonly storage: Storage | undefined;
  /** Undefined in pages that came over plain HTTP. Then what another tab has is taken over at once, which does no harm:
   * the same row is sent under the same key. */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly queue: Pick<Queue, 'rows' | 'restore'>;
  readonly later: (ms: number, work: () => void) => void;
}

export interface Keeper {
  /** Takes over what other tabs and an earlier page have left. Once, before anything else. */
  open(): void;
  /** Whether a reload finds the list again. */
  isKeeping(): boolean;
  saveSoon(): void;
  save(): void;
}

export function createKeeper({ userId, tab, storage, locks, queue, later }: KeeperPorts): Keeper {
  const place = `provenance-registrations/${userId}/`;
  const own = `${place}${tab}`;
  let isKeeping = storage !== undefined;
  let isDue = false;

  function save(): void {
    isDue = false;
    const rows = queue.rows();
    try {
      if (rows.length === 0) storage?.removeItem(own);
      else storage?.setItem(own, JSON.stringify(rows));
      isKeeping = storage !== undefined;
    } catch {
      // Full, or forbidden meanwhile.
      isKeeping = false;
    }
  }

  function takeOver(key: string): void {
    const earlier = readRows(storage, key);
    if (earlier.length > 0) queue.restore(earlier);
    save();
    if (isKeeping) storage?.removeItem(key);
  }

  function takeOverWhenFree(key: string): void {
    // Refused where storage is forbidden; then there is nothing to take over.
    if (locks) locks.request(key, () => takeOver(key)).catch(() => {});
    else takeOver(key);
  }

  return {
    open() {
      // Before anything is written, and until the tab is gone.
      locks?.request(own, () => new Promise(() => {})).catch(() => {});
      for (const key of keysOf(storage)) if (key.startsWith(place) && key !== own) takeOverWhenFree(key);
    },
    isKeeping: () => isKeeping,
    save,
    saveSoon() {
      if (isDue) return;
      isDue = true;
      later(SAVE_AFTER_MS, () => {
        if (isDue) save();
      });
    },
  };
}

function keysOf(storage: Storage | undefined): string[] {
  try {
    return Array.from({ length: storage?.length ?? 0 }, (_, at) => storage?.key(at) ?? '');
  } catch {
    return [];
  }
}

function readRows(storage: Storage | undefined, key: string): Row[] {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.flatMap((row) => restored(row) ?? []) : [];
  } catch {
    return [];
  }
}
