import type { Fingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { SendResult } from './queue.js';
import { hasUnsavedWork, MAX_ROWS, Queue } from './queue.js';
import { type Candidate, type HashedRow, parseStoredRow } from './queueRow.js';
import type { CreateCopy } from './rowCopies.js';

/** A queue whose hashing and sending the test controls. */
function createControlledQueue({ stored = new Map<string, Blob>(), isFull = false } = {}) {
  let keys = 0;
  const hashing = new Map<string, { resolve: () => void; reject: (reason: unknown) => void }>();
  const sending: { row: HashedRow; file: File | undefined; respond: (result: SendResult) => void }[] = [];
  const frames: (() => void)[] = [];
  const signing: { row: HashedRow; respond: (result: Awaited<ReturnType<CreateCopy>>) => void }[] = [];
  const queue = new Queue({
    hash: (file, { signal }) =>
      new Promise((resolve, reject) => {
        const name = file instanceof File ? file.name : '';
        const settle = (work: () => void) => {
          hashing.delete(name);
          work();
        };
        hashing.set(name, {
          resolve: () => settle(() => resolve({ fingerprint: fingerprint(name), size: file.size })),
          reject: (reason) => settle(() => reject(reason)),
        });
        signal?.addEventListener('abort', () => settle(() => reject(signal.reason)));
      }),
    send: (row, file) => new Promise((respond) => sending.push({ row, file, respond })),
    createCopy: (row) => new Promise((respond) => signing.push({ row, respond })),
    copies: {
      put: async (id, copy) => {
        stored.set(id, copy);
        return !isFull;
      },
      get: async (id) => stored.get(id),
      delete: (id) => stored.delete(id),
      ids: async () => new Set(stored.keys()),
    },
    computeCodes: async () => ({}),
    findSimilar: async () => [],
    describeHashError: String,
    createKey: () => {
      keys += 1;
      return `key ${keys}`;
    },
    scheduleUpdate: (update) => frames.push(update),
    onChange: () => {},
  });
  const states = () => queue.rows().map(({ state }) => state);
  return {
    queue,
    hashing,
    sending,
    signing,
    stored,
    frames,
    states,
    /** Completes all hashing. */
    async hashAll() {
      await flushPromises();
      for (const { resolve } of hashing.values()) resolve();
      await flushPromises();
    },
    async respondToAll(result: SendResult) {
      for (const { respond } of sending.splice(0)) respond(result);
      await flushPromises();
    },
  };
}

function flushPromises(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function fingerprint(name: string): Fingerprint {
  const digits = Array.from(name, (character) => character.charCodeAt(0).toString(16)).join('');
  return `0x${digits.padEnd(64, '0')}`;
}

function candidates(...names: string[]): Candidate[] {
  return names.map((name) => ({
    file: new File([name], name),
    filename: name,
    folder: '',
    size: name.length,
    mediaType: name.endsWith('.jpg') ? 'image/jpeg' : undefined,
    lastModified: 1,
    fingerprint: undefined,
  }));
}

const fileNames = Array.from({ length: 20 }, (_, number) => `file ${number}`);

test('nothing is hashed or sent before the user starts it', async () => {
  const { queue, hashing, states } = createControlledQueue();
  queue.add('mark', candidates('a'));
  await flushPromises();
  expect([hashing.size, states()]).toEqual([0, ['waiting']]);
});

test('eight files are processed at a time, until all are done', async () => {
  const { queue, hashing, hashAll, respondToAll, states } = createControlledQueue();
  queue.add('mark', candidates(...fileNames));
  queue.start();
  await flushPromises();
  expect(hashing.size).toBe(8);
  for (let round = 0; round < 3; round += 1) {
    await hashAll();
    await respondToAll({ state: 'pending' });
  }
  expect(states()).toEqual(fileNames.map(() => 'pending'));
});

test('a pause aborts hashing and lets requests finish; a start continues', async () => {
  const { queue, hashAll, hashing, sending, respondToAll, states } = createControlledQueue();
  queue.add('mark', candidates('a'));
  queue.start();
  await hashAll();
  queue.add('mark', candidates('b'));
  await flushPromises();
  queue.pause();
  await flushPromises();
  expect(states()).toEqual(['sending', 'waiting']);
  await respondToAll({ state: 'pending' });
  expect([states(), hashing.size]).toEqual([['pending', 'waiting'], 0]);
  queue.start();
  await hashAll();
  expect(sending.map(({ row }) => row.filename)).toEqual(['b']);
});

test.each(['login', 'network'] as const)(
  'work that stopped for the %s continues with the same keys and fingerprints',
  async (stopReason) => {
    const { queue, hashAll, hashing, sending, respondToAll, states } = createControlledQueue();
    queue.add('mark', candidates(...fileNames));
    queue.start();
    await hashAll();
    const before = sending.map(({ row }) => [row.fingerprint, row.idempotencyKey]);
    await respondToAll({ stopReason });
    expect(states()).toEqual(fileNames.map(() => 'waiting'));
    expect(hashing.size).toBe(0);
    queue.resumeAfter(stopReason);
    await flushPromises();
    expect(sending.map(({ row }) => [row.fingerprint, row.idempotencyKey])).toEqual(before);
  },
);

test('at a limit the remaining files stay in the queue until the user continues', async () => {
  const { queue, hashAll, sending, respondToAll, states } = createControlledQueue();
  queue.add('mark', candidates('a', 'b'));
  queue.start();
  await hashAll();
  await respondToAll({ stopReason: { limitedMarkId: 'mark' } });
  queue.resumeAfter('login');
  expect([states(), sending.length]).toEqual([['waiting', 'waiting'], 0]);
  queue.start();
  await flushPromises();
  expect(sending.length).toBe(2);
});

test('a failed file is retried with a new key and without its old error', async () => {
  const { queue, hashAll, sending, respondToAll } = createControlledQueue();
  queue.add('mark', candidates('a'));
  queue.start();
  await hashAll();
  const first = sending[0]?.row.idempotencyKey;
  await respondToAll({ state: 'failed', note: 'No.' });
  expect(queue.rows()).toMatchObject([{ state: 'failed', note: 'No.' }]);
  queue.retry();
  queue.start();
  await flushPromises();
  expect(sending[0]?.row.idempotencyKey).not.toBe(first);
  expect(queue.rows()).toMatchObject([{ state: 'sending', note: undefined }]);
});

test('a file that cannot be read fails without affecting others', async () => {
  const { queue, hashing, sending, states } = createControlledQueue();
  queue.add('mark', candidates('a', 'b'));
  queue.start();
  await flushPromises();
  hashing.get('a')?.reject(new Error('changed'));
  hashing.get('b')?.resolve();
  await flushPromises();
  expect([states(), sending.length]).toEqual([['failed', 'sending'], 1]);
});

test('a removed file is neither hashed nor sent; a file that is being sent cannot be removed', async () => {
  const { queue, hashAll, sending } = createControlledQueue();
  queue.add('mark', candidates('a'));
  queue.start();
  await hashAll();
  queue.add('mark', candidates('b'));
  await flushPromises();
  for (const { id } of queue.rows()) queue.remove(id);
  await hashAll();
  expect(queue.rows().map(({ filename }) => filename)).toEqual(['a']);
  expect(sending.length).toBe(1);
});

test('a file is listed once, even when it is added twice', () => {
  const { queue } = createControlledQueue();
  queue.add('mark', candidates('a'));
  expect(queue.add('mark', candidates('a', 'b'))).toEqual({ added: 1, alreadyListed: 1, withoutRoom: 0 });
});

test('a file that was not hashed before a reload continues when it is chosen again', async () => {
  const before = createControlledQueue();
  before.queue.add('mark', candidates('a'));
  const { queue, states, hashAll, sending } = createControlledQueue();
  queue.restore(before.queue.rows().flatMap((row) => parseStoredRow(JSON.parse(JSON.stringify(row))) ?? []));
  expect(states()).toEqual(['missing']);
  expect(queue.add('mark', candidates('a')).alreadyListed).toBe(1);
  queue.start();
  await hashAll();
  expect(sending.map(({ row }) => row.filename)).toEqual(['a']);
});

test('a full list drops finished files, the oldest first, and rejects what does not fit', () => {
  const before = createControlledQueue();
  before.queue.add('mark', candidates('oldest', 'older'));
  const { queue } = createControlledQueue();
  queue.restore(before.queue.rows().map((row) => ({ ...row, id: row.filename, state: 'submitted' as const })));
  const names = Array.from({ length: MAX_ROWS - 1 }, (_, number) => `${number}`);
  expect(queue.add('mark', candidates(...names)).added).toBe(MAX_ROWS - 1);
  expect([queue.rows().length, queue.rows()[0]?.filename]).toEqual([MAX_ROWS, 'older']);
  expect(queue.add('mark', candidates('x', 'y'))).toEqual({ added: 1, alreadyListed: 0, withoutRoom: 1 });
});

test('subscribers are notified once per frame, however much changes', async () => {
  const { queue, frames, hashAll, respondToAll } = createControlledQueue();
  let updates = 0;
  queue.summary.subscribe(() => {
    updates += 1;
  });
  queue.add('mark', candidates(...fileNames));
  queue.start();
  await hashAll();
  await respondToAll({ state: 'pending' });
  expect(frames.length).toBe(1);
  for (const frame of frames) frame();
  expect([updates, queue.summary.get().counts.pending]).toEqual([1, 8]);
});

test('statuses apply to files that await the chain, and to no others', async () => {
  const { queue, hashAll, respondToAll, states } = createControlledQueue();
  queue.add('mark', candidates('a', 'b'));
  queue.start();
  await hashAll();
  await respondToAll({ state: 'pending' });
  queue.applyStatuses(new Map([[fingerprint('a'), { state: 'submitted', note: undefined }]]));
  queue.applyStatuses(new Map([[fingerprint('a'), { state: 'pending', note: undefined }]]));
  expect(states()).toEqual(['submitted', 'pending']);
});

const copy = new Blob(['signed']);

/** What a reload keeps of a queue. */
function reload({ queue, stored }: ReturnType<typeof createControlledQueue>) {
  const next = createControlledQueue({ stored });
  next.queue.restore(queue.rows().flatMap((row) => parseStoredRow(JSON.parse(JSON.stringify(row))) ?? []));
  return next;
}

test('only with the choice, and only what can hold a manifest, is uploaded; two at a time', async () => {
  const { queue, hashAll, sending, respondToAll } = createControlledQueue();
  queue.add('mark', candidates('a.jpg'));
  queue.start();
  await hashAll();
  expect(sending.map(({ file }) => file?.name)).toEqual([undefined]);
  await respondToAll({ state: 'pending' });
  queue.setOptions({ wantsCopy: true, digitalSourceType: 'digitalCapture' });
  queue.add('mark', candidates('b.jpg', 'c.jpg', 'd.jpg', 'e.txt'));
  queue.start();
  await hashAll();
  expect(sending.map(({ row, file }) => [row.filename, file?.name])).toEqual([
    ['b.jpg', 'b.jpg'],
    ['c.jpg', 'c.jpg'],
    ['e.txt', undefined],
  ]);
  expect(sending.map(({ row }) => row.digitalSourceType)).toEqual(Array(3).fill('digitalCapture'));
});

test('a row with a signed copy that was not downloaded is not finished, and survives a reload', async () => {
  const before = createControlledQueue();
  before.queue.setOptions({ wantsCopy: true });
  before.queue.add('mark', candidates('a.jpg'));
  before.queue.start();
  await before.hashAll();
  await before.respondToAll({ state: 'submitted', copy });
  before.queue.clearFinished();
  const { queue, stored } = reload(before);
  await flushPromises();
  const [row] = queue.rows();
  expect(row).toMatchObject({ state: 'submitted', copy: 'ready', copyNote: undefined });
  expect(await queue.readCopy(row?.id ?? '')).toBe(copy);
  queue.markCopyDownloaded(row?.id ?? '');
  queue.clearFinished();
  expect([queue.rows(), stored.size]).toEqual([[], 0]);
});

test('a copy that was stored before a crash, and whose row was not saved, is found', async () => {
  const before = createControlledQueue();
  before.queue.setOptions({ wantsCopy: true });
  before.queue.add('mark', candidates('a.jpg', 'b.jpg'));
  before.queue.start();
  await before.hashAll();
  for (const { row } of before.sending.slice(0, 1)) before.stored.set(row.id, copy);
  const { queue, sending, hashAll, frames } = reload(before);
  await flushPromises();
  for (const frame of frames) frame();
  // The other may have been recorded: it is sent again, with the same key, once it was chosen again.
  expect(queue.rows()).toMatchObject([
    { state: 'pending', copy: 'ready' },
    { state: 'missing', copy: undefined },
  ]);
  expect(queue.summary.get().options.wantsCopy).toBe(true);
  queue.add('mark', candidates('b.jpg'));
  queue.start();
  await hashAll();
  expect(sending.map(({ row, file }) => [row.idempotencyKey, file?.name])).toEqual([
    [before.sending[1]?.row.idempotencyKey, 'b.jpg'],
  ]);
});

test('a copy that the browser could not store is announced as lost after a reload; leaving shows a warning before', async () => {
  const before = createControlledQueue({ isFull: true });
  before.queue.setOptions({ wantsCopy: true });
  before.queue.add('mark', candidates('a.jpg'));
  before.queue.start();
  await before.hashAll();
  await before.respondToAll({ state: 'pending', copy });
  expect(before.queue.rows()[0]?.copyNote).toContain('before you close this page');
  expect(hasUnsavedWork(before.queue.rows())).toBe(true);
  before.stored.clear();
  const { queue } = reload(before);
  await flushPromises();
  expect(queue.rows()).toMatchObject([{ copy: undefined, copyNote: expect.stringContaining('was not saved') }]);
});

test('a copy of a registered file is requested with its file, which is asked for after a reload', async () => {
  const before = createControlledQueue();
  before.queue.add('mark', candidates('a.jpg'));
  before.queue.start();
  await before.hashAll();
  await before.respondToAll({ state: 'yours' });
  const [{ id } = { id: '' }] = before.queue.rows();
  before.queue.requestCopy(id);
  before.signing[0]?.respond({ problem: 'No.' });
  await flushPromises();
  expect(before.queue.rows()).toMatchObject([{ copy: undefined, copyNote: 'No.' }]);
  const { queue, signing } = reload(before);
  queue.requestCopy(id);
  expect([queue.rows()[0]?.copy, signing.length]).toEqual(['needsFile', 0]);
  queue.add('mark', candidates('a.jpg'));
  queue.remove(id);
  expect(queue.rows()).toMatchObject([{ copy: 'creating' }]);
  signing[0]?.respond({ copy });
  await flushPromises();
  expect(queue.rows()).toMatchObject([{ state: 'yours', copy: 'ready' }]);
});

test('when a registration fails on chain, its signed copy is given up', async () => {
  const { queue, hashAll, respondToAll, stored } = createControlledQueue();
  queue.setOptions({ wantsCopy: true });
  queue.add('mark', candidates('a.jpg'));
  queue.start();
  await hashAll();
  await respondToAll({ state: 'pending', copy });
  queue.applyStatuses(new Map([[fingerprint('a.jpg'), { state: 'failed', note: 'No.' }]]));
  expect(queue.rows()).toMatchObject([{ state: 'failed', copy: undefined, copyNote: expect.any(String) }]);
  expect(stored.size).toBe(0);
});

test('without the choice, files that were to be uploaded need not be chosen again', async () => {
  const before = createControlledQueue();
  before.queue.setOptions({ wantsCopy: true });
  before.queue.add('mark', candidates('a.jpg'));
  before.queue.start();
  await before.hashAll();
  const { queue, states } = reload(before);
  expect(states()).toEqual(['missing']);
  queue.setOptions({ wantsCopy: false });
  expect(states()).toEqual(['waiting']);
});
