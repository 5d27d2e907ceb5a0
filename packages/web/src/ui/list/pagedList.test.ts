import { expect, test } from 'vitest';
import {
  countRows,
  emptyList,
  findMissingPage,
  insertPage,
  type PagedList,
  parseOutline,
  rowsInRange,
  toOutline,
} from './pagedList.js';

const SIZE = 10;
const page = (index: number, isLast = false) => ({
  items: Array.from({ length: SIZE }, (_, row) => index * SIZE + row),
  nextCursor: isLast ? null : `after ${index}`,
});
const itemsBetween = (pages: PagedList<number>, first: number, end: number) =>
  rowsInRange(pages, first, end).map(({ item }) => item);
const firstPages = (count: number) =>
  Array.from({ length: count }).reduce<PagedList<number>>(
    (pages, _, index) => insertPage(pages, index, page(index)),
    emptyList(),
  );

test('the first page is missing at first, and the next one when its rows come near', () => {
  expect(findMissingPage(emptyList(), 0, 20)).toBe(0);
  expect(findMissingPage(firstPages(3), 0, 20)).toBeUndefined();
  expect(findMissingPage(firstPages(3), 5, 30)).toBe(3);
});

test('a complete list misses nothing', () => {
  const pages = insertPage(firstPages(2), 2, page(2, true));
  expect([pages.isComplete, countRows(pages), findMissingPage(pages, 20, 40)]).toEqual([true, 30, undefined]);
});

test('distant pages are dropped, keep their size, and are missing when their rows are shown again', () => {
  const pages = firstPages(20);
  expect(countRows(pages)).toBe(200);
  expect(pages.slots.filter(({ items }) => items).length).toBeLessThan(10);
  expect(itemsBetween(pages, 198, 200)).toEqual([198, 199]);
  expect(itemsBetween(pages, 8, 12)).toEqual([undefined, undefined, undefined, undefined]);
  expect(findMissingPage(pages, 8, 12)).toBe(0);
  const reloaded = insertPage(pages, 0, page(0));
  expect([countRows(reloaded), itemsBetween(reloaded, 8, 10)]).toEqual([200, [8, 9]]);
});

test('when new entries were added before a page, the pages after it are loaded again instead of leaving a gap', () => {
  const shifted = insertPage(firstPages(5), 0, { items: [-1, 0, 1], nextCursor: 'other cursor' });
  expect(countRows(shifted)).toBe(3);
  expect(findMissingPage(shifted, 0, 10)).toBe(1);
  expect(shifted.slots[1]?.cursor).toBe('other cursor');
});

test('an outline restores the list without its items', () => {
  const pages = insertPage(firstPages(4), 4, page(4, true));
  const restored = parseOutline<number>(JSON.parse(JSON.stringify(toOutline(pages))));
  expect(restored && [countRows(restored), restored.isComplete, findMissingPage(restored, 33, 35)]).toEqual([
    50,
    true,
    3,
  ]);
  expect(restored?.slots[3]?.cursor).toBe('after 2');
});

test.each([null, 'text', {}, { slots: 3 }, { slots: [] }, { slots: [[1, 2]] }, { slots: ['a'] }])(
  'an invalid outline is ignored: %j',
  (stored) => {
    expect(parseOutline(stored)).toBeUndefined();
  },
);
