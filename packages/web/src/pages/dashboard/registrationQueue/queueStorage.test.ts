import { expect, test } from 'vitest';
import { exampleRow } from './exampleRow.js';
import type { QueueRow } from './queueRow.js';
import { createQueueStorage } from './queueStorage.js';

const row: QueueRow = { ...exampleRow, filename: '<b>a</b>' };

/** Like the storage of a browser; a full one throws. */
function fakeStorage(isFull = false): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, text);
    },
    removeItem: (key) => items.delete(key),
    clear: () => items.clear(),
  };
}

/** The locks of a browser; each is held by the first request until `release`. */
function fakeLocks() {
  const held = new Map<string, (() => unknown)[]>();
  const request = async (name: string, work: () => unknown) => {
    const waiting = held.get(name);
    if (waiting) waiting.push(work);
    else {
      held.set(name, []);
      work();
    }
  };
  return { request, release: (name: string) => held.get(name)?.shift()?.() };
}

function openTab(
  tabId: string,
  { storage, locks, rows = [] }: { storage: Storage | undefined; locks?: unknown; rows?: QueueRow[] },
) {
  const list = [...rows];
  const queueStorage = createQueueStorage({
    userId: 'ada',
    tabId,
    storage,
    locks: locks as Pick<LockManager, 'request'> | undefined,
    queue: { rows: () => list, restore: (earlier) => list.unshift(...earlier) },
    schedule: (_, work) => work(),
  });
  queueStorage.open();
  return { queueStorage, list };
}

test('the queue of a tab is restored after a reload, once', () => {
  const storage = fakeStorage();
  openTab('before', { storage, rows: [row] }).queueStorage.saveSoon();
  expect(openTab('after', { storage }).list).toEqual([row]);
  expect(storage.length).toBe(1);
});

test('a tab takes over the queue of another tab when that is closed, not before', () => {
  const [storage, locks] = [fakeStorage(), fakeLocks()];
  openTab('first', { storage, locks, rows: [row] }).queueStorage.save();
  const { list } = openTab('second', { storage, locks });
  expect(list).toEqual([]);
  locks.release('provenance-registrations/ada/first');
  expect(list).toEqual([row]);
});

test.each([
  ['hashing', undefined, 'missing'],
  ['waiting', undefined, 'missing'],
  ['sending', row.fingerprint, 'waiting'],
  ['waiting', row.fingerprint, 'waiting'],
  ['submitting', row.fingerprint, 'submitting'],
  ['failed', row.fingerprint, 'failed'],
] as const)('a row that was %s with the fingerprint %s is %s after a reload', (state, fingerprint, then) => {
  const storage = fakeStorage();
  openTab('before', { storage, rows: [{ ...row, state, fingerprint }] }).queueStorage.save();
  expect(openTab('after', { storage }).list).toMatchObject([{ state: then, idempotencyKey: 'key' }]);
});

test('invalid data in storage is ignored', () => {
  const storage = fakeStorage();
  storage.setItem('provenance-registrations/ada/1', 'not JSON');
  storage.setItem('provenance-registrations/ada/2', '[1, null, {}, {"state": "pending"}]');
  storage.setItem('provenance-registrations/bea/3', JSON.stringify([row]));
  expect(openTab('after', { storage }).list).toEqual([]);
});

test('blocked and full storage is reported', () => {
  expect(openTab('a', { storage: undefined, rows: [row] }).queueStorage.isPersistent.get()).toBe(false);
  const { queueStorage } = openTab('a', { storage: fakeStorage(true), rows: [row] });
  queueStorage.save();
  expect(queueStorage.isPersistent.get()).toBe(false);
});
