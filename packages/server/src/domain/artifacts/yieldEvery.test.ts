import { expect, it } from 'vitest';
import { yieldEvery } from './yieldEvery.js';

it('So many callers go on in each turn of the event loop', async () => {
  const yieldToOthers = yieldEvery(16);
  const counts: number[] = [];
  let isOver = false;
  const beginTurn = () => {
    counts.push(0);
    if (!isOver) setImmediate(beginTurn);
  };
  beginTurn();
  const callers = Array.from({ length: 40 }, async () => {
    await yieldToOthers();
    counts.push((counts.pop() ?? 0) + 1);
  });
  await Promise.all(callers);
  isOver = true;
  expect(counts.filter((count) => count > 0)).toEqual([16, 16, 8]);
});
