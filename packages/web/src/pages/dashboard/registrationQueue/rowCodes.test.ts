import { exampleArtifact } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { exampleRow } from './exampleRow.js';
import type { QueueRow } from './queueRow.js';
import { createRowCodes, type FindSimilar } from './rowCodes.js';

const codes = { pHash: `0x${'1'.repeat(16)}`, dHash: `0x${'2'.repeat(16)}` };
const [publicMark, privateMark] = [
  { id: 'public', visibility: 'public' },
  { id: 'private', visibility: 'private' },
] as const;
const marks = [publicMark, privateMark];

function startRowCodes(findSimilar: FindSimilar) {
  const rows = new Map<string, QueueRow>();
  const files = new Map<string, File>();
  const computed: string[] = [];
  const addRow = (id: string, markId: string) => {
    rows.set(id, { ...exampleRow, id, markId, state: 'waiting' });
    files.set(id, new File([id], id));
  };
  const rowCodes = createRowCodes({
    rows,
    files,
    computeCodes: async (file) => {
      computed.push(file instanceof File ? file.name : '');
      return { hashes: codes };
    },
    findSimilar,
    updateRow: (id, changes) => {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, ...changes });
    },
  });
  return { rowCodes, rows, computed, addRow };
}

const flushPromises = () => new Promise((resolve) => setTimeout(resolve));

test('codes are computed for public Marks alone, once known, and tell what looks like files of others', async () => {
  const similar = { fingerprint: exampleArtifact.fingerprint, markName: 'Other', registeredAt: '2026-01-01T00:00:00Z' };
  const own = { ...similar, markName: 'Own', markId: privateMark.id };
  const { rowCodes, rows, computed, addRow } = startRowCodes(async () => [own, { ...similar, markId: 'of others' }]);
  addRow('a.jpg', publicMark.id);
  addRow('b.jpg', privateMark.id);
  rowCodes.compareWaiting();
  expect([await rowCodes.prepare('a.jpg'), computed]).toEqual([undefined, []]);
  rowCodes.configure({ isOn: true, marks });
  rowCodes.compareWaiting();
  await flushPromises();
  expect(computed).toEqual(['a.jpg']);
  expect(rows.get('a.jpg')).toMatchObject({ codes, similar: [similar] });
  expect(rowCodes.progress()).toEqual({ done: 1, total: 1, failed: 0 });
  expect([await rowCodes.prepare('a.jpg'), await rowCodes.prepare('b.jpg')]).toEqual([codes, undefined]);
  // The request of a row changes with the switch, so that it needs another idempotency key.
  expect(rowCodes.configure({ isOn: false, marks })).toEqual(['a.jpg', 'b.jpg']);
  expect(await rowCodes.prepare('a.jpg')).toBeUndefined();
});

test('when the service does not search, files keep their codes and can be registered', async () => {
  const { rowCodes, addRow } = startRowCodes(() => Promise.reject(new Error('unavailable')));
  addRow('a.jpg', publicMark.id);
  rowCodes.configure({ isOn: true, marks });
  rowCodes.compareWaiting();
  await flushPromises();
  expect([await rowCodes.prepare('a.jpg'), rowCodes.progress().failed]).toEqual([codes, 1]);
});
