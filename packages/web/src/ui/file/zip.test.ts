import { expect, test } from 'vitest';
import { MAX_ARCHIVE_BYTES, takeFitting } from './zip.js';

test('what does not fit into one archive is left for the next, but never everything', () => {
  const ofSize = (size: number) => ({ content: { size } as Blob });
  const [small, large] = [ofSize(10), ofSize(MAX_ARCHIVE_BYTES)];
  expect(takeFitting([small, large, small])).toEqual([small]);
  expect(takeFitting([large, small])).toEqual([large]);
  expect(takeFitting([small, small])).toEqual([small, small]);
});
