import type { Fingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { createQueue, type HashedRow, MAX_ROWS, type Outcome } from './queue.js';
import { type Candidate, restored } from './queueRow.js';

/** A queue whose files are hashed and sent when the test says so. */
function underControl() {
  let keys = 0;
  const hashing = new Map<string, { resolve: () => void; reject: (reason: unknown) => void }>();
  const sending: { row: HashedRow; answer: (outcome: Outcome) => void }[] = [];
  const frames: (() => void)[] = [];
  const queue = createQueue({
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
    send: (row) => new Promise((answer) => sending.push({ row, answer })),
    explain: String,
    newKey: () => {
      keys += 1;
      return `key ${keys}`;
    },
    soon: (work) => frames.push(work),
    onChange: () => {},
  });
  const states = () => queue.rows().map(({ state }) => state);
  return {
    queue,
    hashing,
    sending,
    frames,
    states,
    /** Everything that is being hashed gets its fingerprint. */
    async hashAll() {
      await settled();
      for (const { resolve } of hashing.values()) resolve();
      await settled();
    },
    async answerAll(outcome: Outcome) {
      for (const { answer } of sending.splice(0)) answer(outcome);
      await settled();
    },
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function fingerprint(name: string): Fingerprint {
  const digits = Array.from(name, (character) => character.charCodeAt(0).toString(16)).join('');
  return `0x${digits.padEnd(64, '0')}`;
}

function chosen(...names: string[]): Candidate[] {
  return names.map((name) => ({
    file: new File([name], name),
    filename: name,
    folder: '',
    size: name.length,
    mediaType: undefined,
    lastModified: 1,
    fingerprint: undefined,
  }));
}

const many = Array.from({ length: 20 }, (_, number) => `file ${number}`);

test('nothing is hashed or sent before somebody starts it', async () => {
  const { queue, hashing, states } = underControl();
  queue.add('mark', chosen('a'));
  await settled();
  expect([hashing.size, states()]).toEqual([0, ['waiting']]);
});

test('eight files are worked on at once, until all are through', async () => {
  const { queue, hashing, hashAll, answerAll, states } = underControl();
  queue.add('mark', chosen(...many));
  queue.start();
  await settled();
  expect(hashing.size).toBe(8);
  for (let round = 0; round < 3; round += 1) {
    await hashAll();
    await answerAll({ state: 'pending' });
  }
  expect(states()).toEqual(many.map(() => 'pending'));
});

test('a pause stops hashing at once and waits for what was sent; afterwards it goes on', async () => {
  const { queue, hashAll, hashing, sending, answerAll, states } = underControl();
  queue.add('mark', chosen('a'));
  queue.start();
  await hashAll();
  queue.add('mark', chosen('b'));
  await settled();
  queue.pause();
  await settled();
  expect(states()).toEqual(['sending', 'waiting']);
  await answerAll({ state: 'pending' });
  expect([states(), hashing.size]).toEqual([['pending', 'waiting'], 0]);
  queue.start();
  await hashAll();
  expect(sending.map(({ row }) => row.filename)).toEqual(['b']);
});

test.each(['login', 'network'] as const)(
  'work that stood still for the %s goes on with the same keys and fingerprints',
  async (halt) => {
    const { queue, hashAll, hashing, sending, answerAll, states } = underControl();
    queue.add('mark', chosen(...many));
    queue.start();
    await hashAll();
    const before = sending.map(({ row }) => [row.fingerprint, row.idempotencyKey]);
    await answerAll({ halt });
    expect(states()).toEqual(many.map(() => 'waiting'));
    expect(hashing.size).toBe(0);
    queue.goOnAfter(halt);
    await settled();
    expect(sending.map(({ row }) => [row.fingerprint, row.idempotencyKey])).toEqual(before);
  },
);

test('at a limit everything that is left keeps its place until somebody goes on', async () => {
  const { queue, hashAll, sending, answerAll, states } = underControl();
  queue.add('mark', chosen('a', 'b'));
  queue.start();
  await hashAll();
  await answerAll({ halt: { limitOf: 'mark' } });
  queue.goOnAfter('login');
  expect([states(), sending.length]).toEqual([['waiting', 'waiting'], 0]);
  queue.start();
  await settled();
  expect(sending.length).toBe(2);
});

test('a failed one is tried again under another key, and says no longer why it failed', async () => {
  const { queue, hashAll, sending, answerAll } = underControl();
  queue.add('mark', chosen('a'));
  queue.start();
  await hashAll();
  const first = sending[0]?.row.idempotencyKey;
  await answerAll({ state: 'failed', note: 'No.' });
  expect(queue.rows()).toMatchObject([{ state: 'failed', note: 'No.' }]);
  queue.retry();
  queue.start();
  await settled();
  expect(sending[0]?.row.idempotencyKey).not.toBe(first);
  expect(queue.rows()).toMatchObject([{ state: 'sending', note: undefined }]);
});

test('a file that cannot be read fails alone, with the reason', async () => {
  const { queue, hashing, sending, states } = underControl();
  queue.add('mark', chosen('a', 'b'));
  queue.start();
  await settled();
  hashing.get('a')?.reject(new Error('changed'));
  hashing.get('b')?.resolve();
  await settled();
  expect([states(), sending.length]).toEqual([['failed', 'sending'], 1]);
});

test('what is removed is neither hashed on nor sent; what is being sent stays', async () => {
  const { queue, hashAll, sending } = underControl();
  queue.add('mark', chosen('a'));
  queue.start();
  await hashAll();
  queue.add('mark', chosen('b'));
  await settled();
  for (const { id } of queue.rows()) queue.remove(id);
  await hashAll();
  expect(queue.rows().map(({ filename }) => filename)).toEqual(['a']);
  expect(sending.length).toBe(1);
});

test('a file that is in the list already is not there twice', () => {
  const { queue } = underControl();
  queue.add('mark', chosen('a'));
  expect(queue.add('mark', chosen('a', 'b'))).toEqual({ added: 1, known: 1, left: 0 });
});

test('a file that was not hashed before the page was left goes on when it is chosen again', async () => {
  const before = underControl();
  before.queue.add('mark', chosen('a'));
  const { queue, states, hashAll, sending } = underControl();
  queue.restore(before.queue.rows().flatMap((row) => restored(JSON.parse(JSON.stringify(row))) ?? []));
  expect(states()).toEqual(['missing']);
  expect(queue.add('mark', chosen('a')).known).toBe(1);
  queue.start();
  await hashAll();
  expect(sending.map(({ row }) => row.filename)).toEqual(['a']);
});

test('a full list takes no more than it has room for, and lets go of what is through, the oldest first', () => {
  const before = underControl();
  before.queue.add('mark', chosen('oldest', 'older'));
  const { queue } = underControl();
  queue.restore(before.queue.rows().map((row) => ({ ...row, id: row.filename, state: 'submitted' as const })));
  const names = Array.from({ length: MAX_ROWS - 1 }, (_, number) => `${number}`);
  expect(queue.add('mark', chosen(...names)).added).toBe(MAX_ROWS - 1);
  expect([queue.rows().length, queue.rows()[0]?.filename]).toEqual([MAX_ROWS, 'older']);
  expect(queue.add('mark', chosen('x', 'y'))).toEqual({ added: 1, known: 0, left: 1 });
});

test('whoever shows the list is told once a frame, however much happens in it', async () => {
  const { queue, frames, hashAll, answerAll } = underControl();
  let told = 0;
  queue.subscribe(() => {
    told += 1;
  });
  queue.add('mark', chosen(...many));
  queue.start();
  await hashAll();
  await answerAll({ state: 'pending' });
  expect(frames.length).toBe(1);
  for (const frame of frames) frame();
  expect([told, queue.summary().counts.pending]).toEqual([1, 8]);
});

test('the chain moves what is on its way, and nothing else', async () => {
  const { queue, hashAll, answerAll, states } = underControl();
  queue.add('mark', chosen('a', 'b'));
  queue.start();
  await hashAll();
  await answerAll({ state: 'pending' });
  queue.update(new Map([[fingerprint('a'), { state: 'submitted', note: undefined }]]));
  queue.update(new Map([[fingerprint('a'), { state: 'pending', note: undefined }]]));
  expect(states()).toEqual(['submitted', 'pending']);
});
