// Saves the queue in the browser, so that a reload loses nothing that can be stored. Each tab has its own queue and holds
// a lock while it is open; other tabs take over the queue when that lock is released.

import { createStore, type ReadableStore } from '../../../store.js';
import type { Queue } from './queue.js';
import { parseStoredRow, type QueueRow } from './queueRow.js';

/** A crash loses at most the changes of this time. */
const SAVE_DELAY_MS = 300;

interface QueueStoragePorts {
  readonly userId: string;
  readonly tabId: string;
  /** Undefined where the browser blocks storage. */
  readonly storage: Storage | undefined;
  /**
   * Undefined on plain HTTP. Then the queues of other tabs are taken over at once, which does no harm: the same row is
   * sent with the same idempotency key.
   */
  readonly locks: Pick<LockManager, 'request'> | undefined;
  readonly queue: Pick<Queue, 'rows' | 'restore'>;
  readonly schedule: (delayMs: number, work: () => void) => void;
}

export interface QueueStorage {
  /** Takes over the queues of closed tabs. Called once, first. */
  open(): void;
  /** Whether the queue survives a reload. */
  readonly isPersistent: ReadableStore<boolean>;
  saveSoon(): void;
  save(): void;
}

export function createQueueStorage(ports: QueueStoragePorts): QueueStorage {
  const { userId, tabId, storage, locks, queue, schedule } = ports;
  const prefix = `provenance-registrations/${userId}/`;
  const ownKey = `${prefix}${tabId}`;
  const isPersistent = createStore(storage !== undefined);
  let isSaveDue = false;

  function save(): void {
    isSaveDue = false;
    const rows = queue.rows();
    try {
      if (rows.length === 0) storage?.removeItem(ownKey);
      else storage?.setItem(ownKey, JSON.stringify(rows));
      isPersistent.set(storage !== undefined);
    } catch {
      // Full or blocked.
      isPersistent.set(false);
    }
  }

  function takeOver(key: string): void {
    const rows = readRows(storage, key);
    if (rows.length > 0) queue.restore(rows);
    save();
    if (isPersistent.get()) storage?.removeItem(key);
  }

  return {
    open() {
      // Held until the tab is closed.
      locks?.request(ownKey, () => new Promise(() => {})).catch(() => {});
      for (const key of listKeys(storage)) {
        if (!key.startsWith(prefix) || key === ownKey) continue;
        // Rejected where storage is blocked; then there is nothing to take over.
        if (locks) locks.request(key, () => takeOver(key)).catch(() => {});
        else takeOver(key);
      }
    },
    isPersistent,
    save,
    saveSoon() {
      if (isSaveDue) return;
      isSaveDue = true;
      schedule(SAVE_DELAY_MS, () => {
        if (isSaveDue) save();
      });
    },
  };
}

function listKeys(storage: Storage | undefined): string[] {
  try {
    return Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '');
  } catch {
    return [];
  }
}

function readRows(storage: Storage | undefined, key: string): QueueRow[] {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap((row) => parseStoredRow(row) ?? []) : [];
  } catch {
    return [];
  }
}
