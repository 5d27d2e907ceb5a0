// A list that is loaded page by page. Pages far from the last loaded one are dropped, and loaded again when needed.

/** Pages stored in memory on either side of the last loaded one. */
const KEPT_PAGES = 5;

/** A small first page loads fast; users who scroll on need many rows. */
const FIRST_PAGE_SIZE = 50;
const NEXT_PAGE_SIZE = 200;

export function pageSize(cursor: string | undefined): number {
  return cursor === undefined ? FIRST_PAGE_SIZE : NEXT_PAGE_SIZE;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

interface PageSlot<T> {
  /** Undefined for the first page. */
  readonly cursor: string | undefined;
  /** Zero until it is loaded for the first time. */
  readonly size: number;
  readonly items?: readonly T[];
}

export interface PagedList<T> {
  readonly slots: readonly PageSlot<T>[];
  readonly isComplete: boolean;
}

export function emptyList<T>(): PagedList<T> {
  return { slots: [{ cursor: undefined, size: 0 }], isComplete: false };
}

export function countRows<T>({ slots }: PagedList<T>): number {
  return slots.reduce((sum, { size }) => sum + size, 0);
}

interface Row<T> {
  /** Number of the row, from 0. */
  readonly number: number;
  readonly item: T | undefined;
}

/** The rows from `first` up to `end`; without an item where the page is not in memory. */
export function rowsInRange<T>({ slots }: PagedList<T>, first: number, end: number): Row<T>[] {
  const rows: Row<T>[] = [];
  let start = 0;
  for (const { size, items } of slots) {
    const last = Math.min(end, start + size);
    for (let number = Math.max(first, start); number < last; number += 1) {
      rows.push({ number, item: items?.[number - start] });
    }
    start += size;
  }
  return rows;
}

export function itemsInMemory<T>({ slots }: PagedList<T>): readonly T[] {
  return slots.flatMap(({ items = [] }) => items);
}

/** The first page that the rows from `first` to `end` need and that is not in memory. */
export function findMissingPage<T>({ slots }: PagedList<T>, first: number, end: number): number | undefined {
  let start = 0;
  for (const [index, { size, items }] of slots.entries()) {
    const isNeeded = start <= end && (size === 0 || start + size > first);
    if (isNeeded && !items) return index;
    start += size;
  }
  return undefined;
}

/** Adds a loaded page. Drops the slots after it when the list has changed there. */
export function insertPage<T>(pages: PagedList<T>, index: number, { items, nextCursor }: Page<T>): PagedList<T> {
  const slot = { cursor: pages.slots[index]?.cursor, size: items.length, items };
  const slotsBefore = pages.slots.slice(0, index);
  const slotsAfter = pages.slots.slice(index + 1);
  const isUnchanged = nextCursor !== null && slotsAfter[0]?.cursor === nextCursor;
  const next: PageSlot<T>[] = nextCursor === null ? [] : [{ cursor: nextCursor, size: 0 }];
  const slots = [...slotsBefore, slot, ...(isUnchanged ? slotsAfter : next)];
  return {
    slots: slots.map((one, position) =>
      Math.abs(position - index) > KEPT_PAGES ? { cursor: one.cursor, size: one.size } : one,
    ),
    isComplete: isUnchanged ? pages.isComplete : nextCursor === null,
  };
}

/** Cursors and sizes without the items: enough to restore the list after a reload. */
export function toOutline<T>({ slots, isComplete }: PagedList<T>): unknown {
  return { slots: slots.map(({ cursor, size }) => [cursor ?? null, size]), isComplete };
}

/** Reads a stored outline; undefined when it is not valid. */
export function parseOutline<T>(stored: unknown): PagedList<T> | undefined {
  if (typeof stored !== 'object' || stored === null || !('slots' in stored) || !Array.isArray(stored.slots))
    return undefined;
  const slots: PageSlot<T>[] = [];
  for (const slot of stored.slots) {
    if (!Array.isArray(slot)) return undefined;
    const [cursor, size]: unknown[] = slot;
    if ((typeof cursor !== 'string' && cursor !== null) || typeof size !== 'number') return undefined;
    slots.push({ cursor: cursor ?? undefined, size });
  }
  return slots.length === 0 ? undefined : { slots, isComplete: 'isComplete' in stored && stored.isComplete === true };
}
