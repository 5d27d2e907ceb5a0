import { expect, test } from 'vitest';
import type { Row } from './queueRow.js';
import { createKeeper } from './queueStorage.js';

const row: Row = {
  id: '1',
  markId: 'mark',
  filename: '<b>a</b>',
  folder: '',
  size: 1,
  mediaType: undefined,
  lastModified: 1,
  fingerprint: `0x${'0'.repeat(64)}`,
  state: 'pending',
  hashedBytes: 0,
  note: undefined,
  idempotencyKey: 'key',
};

/** As browsers have it; a full one throws. */
function fakeStorage(isFull = false): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (at) => [...items.keys()][at] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, text) => {
      if (isFull) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, text);
    },
    removeItem: (key) => items.delete(key),
    clear: () => items.clear(),
  };
}

/** Locks of one browser, each held by the first that asks until `release`. */
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

function tab(
  name: string,
  { storage, locks, rows = [] }: { storage: Storage | undefined; locks?: unknown; rows?: Row[] },
) {
  const list = [...rows];
  const keeper = createKeeper({
    userId: 'ada',
    tab: name,
    storage,
    locks: locks as Pick<LockManager, 'request'> | undefined,
    queue: { rows: () => list, restore: (earlier) => list.unshift(...earlier) },
    later: (_, work) => work(),
  });
  keeper.open();
  return { keeper, list };
}

test('what one tab kept is there after a reload, once', () => {
  const storage = fakeStorage();
  tab('before', { storage, rows: [row] }).keeper.saveSoon();
  expect(tab('after', { storage }).list).toEqual([row]);
  expect(storage.length).toBe(1);
});

test('a tab takes over what another one leaves behind, and nothing while that is open', () => {
  const [storage, locks] = [fakeStorage(), fakeLocks()];
  tab('first', { storage, locks, rows: [row] }).keeper.save();
  const { list } = tab('second', { storage, locks });
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
  tab('before', { storage, rows: [{ ...row, state, fingerprint }] }).keeper.save();
  expect(tab('after', { storage }).list).toMatchObject([{ state: then, idempotencyKey: 'key' }]);
});

test('storage that holds something else is no trouble', () => {
  const storage = fakeStorage();
  storage.setItem('provenance-registrations/ada/1', 'not JSON');
  storage.setItem('provenance-registrations/ada/2', '[1, null, {}, {"state": "pending"}]');
  storage.setItem('provenance-registrations/bea/3', JSON.stringify([row]));
  expect(tab('after', { storage }).list).toEqual([]);
});

test('it is known when nothing can be kept', () => {
  expect(tab('a', { storage: undefined, rows: [row] }).keeper.isKeeping()).toBe(false);
  const { keeper } = tab('a', { storage: fakeStorage(true), rows: [row] });
  keeper.save();
  expect(keeper.isKeeping()).toBe(false);
});
