// A long list that comes page by page: which pages are known, which of them are here, and where the next one begins.
// Pages far from where one looks are let go, and fetched again when one comes back.

/** How many pages on either side of the last one that came are kept. */
const KEPT_AROUND = 5;

/** The first is soon there; whoever goes on wants many. */
const FIRST_PAGE = 50;
const NEXT_PAGES = 200;

export function pageSize(cursor: string | undefined): number {
  return cursor === undefined ? FIRST_PAGE : NEXT_PAGES;
}

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

interface Place<T> {
  /** Undefined for the first. */
  readonly cursor: string | undefined;
  /** Zero for one that has never been here. */
  readonly size: number;
  readonly items?: readonly T[];
}

export interface Pages<T> {
  readonly places: readonly Place<T>[];
  readonly isComplete: boolean;
}

export function noPages<T>(): Pages<T> {
  return { places: [{ cursor: undefined, size: 0 }], isComplete: false };
}

export function rowsOf<T>({ places }: Pages<T>): number {
  return places.reduce((sum, { size }) => sum + size, 0);
}

interface Row<T> {
  /** From 0. */
  readonly number: number;
  readonly item: T | undefined;
}

/** From row to row; without an item where it is not here. */
export function rowsBetween<T>({ places }: Pages<T>, first: number, end: number): Row<T>[] {
  const found: Row<T>[] = [];
  let start = 0;
  for (const { size, items } of places) {
    const last = Math.min(end, start + size);
    for (let number = Math.max(first, start); number < last; number += 1) {
      found.push({ number, item: items?.[number - start] });
    }
    start += size;
  }
  return found;
}

/** The first page that rows up to `end` want and that is not here; the one after the last known row counts as wanted. */
export function missingPage<T>({ places }: Pages<T>, first: number, end: number): number | undefined {
  let start = 0;
  for (const [index, { size, items }] of places.entries()) {
    const isWanted = start <= end && (size === 0 || start + size > first);
    if (isWanted && !items) return index;
    start += size;
  }
  return undefined;
}

/** With a page that came. What was known behind it is forgotten when the list has changed there. */
export function withPage<T>(pages: Pages<T>, index: number, { items, nextCursor }: PageOf<T>): Pages<T> {
  const place = { cursor: pages.places[index]?.cursor, size: items.length, items };
  const before = pages.places.slice(0, index);
  const known = pages.places.slice(index + 1);
  const isAsBefore = nextCursor !== null && known[0]?.cursor === nextCursor;
  const next: Place<T>[] = nextCursor === null ? [] : [{ cursor: nextCursor, size: 0 }];
  const places = [...before, place, ...(isAsBefore ? known : next)];
  return {
    places: places.map((one, at) =>
      Math.abs(at - index) > KEPT_AROUND ? { cursor: one.cursor, size: one.size } : one,
    ),
    isComplete: isAsBefore ? pages.isComplete : nextCursor === null,
  };
}

/** Without the items: enough to find the place again after a reload. */
export function outlineOf<T>({ places, isComplete }: Pages<T>): unknown {
  return { places: places.map(({ cursor, size }) => [cursor ?? null, size]), isComplete };
}

/** Of whatever the browser has kept; undefined when that is no outline. */
export function fromOutline<T>(kept: unknown): Pages<T> | undefined {
  if (typeof kept !== 'object' || kept === null || !('places' in kept) || !Array.isArray(kept.places)) return undefined;
  const places: Place<T>[] = [];
  for (const place of kept.places) {
    if (!Array.isArray(place)) return undefined;
    const [cursor, size]: unknown[] = place;
    if ((typeof cursor !== 'string' && cursor !== null) || typeof size !== 'number') return undefined;
    places.push({ cursor: cursor ?? undefined, size });
  }
  return places.length === 0 ? undefined : { places, isComplete: 'isComplete' in kept && kept.isComplete === true };
}
