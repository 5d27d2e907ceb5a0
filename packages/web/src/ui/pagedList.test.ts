// The bookkeeping of long lists.

import { expect, test } from 'vitest';
import {
  fromOutline,
  missingPage,
  noPages,
  outlineOf,
  type Pages,
  rowsBetween,
  rowsOf,
  withPage,
} from './pagedList.js';

const SIZE = 10;
const page = (index: number, isLast = false) => ({
  items: Array.from({ length: SIZE }, (_, row) => index * SIZE + row),
  nextCursor: isLast ? null : `after ${index}`,
});
const itemsBetween = (pages: Pages<number>, first: number, end: number) =>
  rowsBetween(pages, first, end).map(({ item }) => item);
const upTo = (count: number) =>
  Array.from({ length: count }).reduce<Pages<number>>(
    (pages, _, index) => withPage(pages, index, page(index)),
    noPages(),
  );

test('the first page is missing at first, and the next one when its end comes near', () => {
  expect(missingPage(noPages(), 0, 20)).toBe(0);
  expect(missingPage(upTo(3), 0, 20)).toBeUndefined();
  expect(missingPage(upTo(3), 5, 30)).toBe(3);
});

test('a complete list misses nothing', () => {
  const pages = withPage(upTo(2), 2, page(2, true));
  expect([pages.isComplete, rowsOf(pages), missingPage(pages, 20, 40)]).toEqual([true, 30, undefined]);
});

test('far away pages are let go, keep their place, and are missed when one comes back', () => {
  const pages = upTo(20);
  expect(rowsOf(pages)).toBe(200);
  expect(pages.places.filter(({ items }) => items).length).toBeLessThan(10);
  expect(itemsBetween(pages, 198, 200)).toEqual([198, 199]);
  expect(itemsBetween(pages, 8, 12)).toEqual([undefined, undefined, undefined, undefined]);
  expect(missingPage(pages, 8, 12)).toBe(0);
  const back = withPage(pages, 0, page(0));
  expect([rowsOf(back), itemsBetween(back, 8, 10)]).toEqual([200, [8, 9]]);
});

test('when new entries have come in before, what follows is fetched anew instead of leaving a gap', () => {
  const shifted = withPage(upTo(5), 0, { items: [-1, 0, 1], nextCursor: 'elsewhere' });
  expect(rowsOf(shifted)).toBe(3);
  expect(missingPage(shifted, 0, 10)).toBe(1);
  expect(shifted.places[1]?.cursor).toBe('elsewhere');
});

test('a place in the list can be kept and found again', () => {
  const pages = withPage(upTo(4), 4, page(4, true));
  const found = fromOutline<number>(JSON.parse(JSON.stringify(outlineOf(pages))));
  expect(found && [rowsOf(found), found.isComplete, missingPage(found, 33, 35)]).toEqual([50, true, 3]);
  expect(found?.places[3]?.cursor).toBe('after 2');
});

test.each([null, 'text', {}, { places: 3 }, { places: [] }, { places: [[1, 2]] }, { places: ['a'] }])(
  'what is no outline is not taken for one: %j',
  (kept) => {
    expect(fromOutline(kept)).toBeUndefined();
  },
);
