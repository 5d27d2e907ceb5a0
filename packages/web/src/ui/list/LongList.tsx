// A list of any length: only visible rows are in the document, and only the pages around them in memory. The scroll
// position is kept in the browser history, so that going back and reloading restore it.

import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { ErrorNotice } from '../feedback/ErrorNotice.js';
import { useRetryWhenOnline } from '../feedback/query.js';
import * as basics from '../layout/basics.module.css';
import * as styles from './LongList.module.css';
import {
  countRows,
  emptyList,
  findMissingPage,
  insertPage,
  itemsInMemory,
  type Page,
  parseOutline,
  rowsInRange,
  toOutline,
} from './pagedList.js';

/** Rendered rows on either side of the visible ones, for the Tab key and the wheel. */
const OVERSCAN_ROWS = 8;
/** Distance from the end at which the next page is loaded. */
const PREFETCH_ROWS = 40;
/** Browsers allow only a few history updates per second. */
const SAVE_DELAY_MS = 150;

interface LongListProps<T> {
  /** Loads again when it changes: memoize it with useCallback. */
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;
  readonly keyOf: (item: T) => string;
  readonly row: (item: T) => ReactNode;
  /** The plural of what it lists, as in "Loading Marks …". */
  readonly what: string;
  readonly empty: ReactNode;
  /** The first page is loaded again, and the others dropped, when it changes. */
  readonly version?: number | undefined;
  /** Called with the items in memory, in order, whenever they change. */
  readonly onItems?: ((items: readonly T[], isComplete: boolean) => void) | undefined;
}

export function LongList<T>({ load, keyOf, row, what, empty, version = 0, onItems }: LongListProps<T>) {
  const [pages, setPages] = useState(() => parseOutline<T>(savedPosition().list) ?? emptyList<T>());
  const [error, setError] = useState<unknown>();
  const rows = countRows(pages);
  const { list, first, end } = useVisibleRows(rows);
  const missing = error === undefined ? findMissingPage(pages, first, end + PREFETCH_ROWS) : undefined;
  const cursor = missing === undefined ? undefined : pages.slots[missing]?.cursor;
  useEffect(() => {
    if (missing === undefined) return;
    const controller = new AbortController();
    load(cursor, controller.signal).then(
      (page) => controller.signal.aborted || setPages((current) => insertPage(current, missing, page)),
      (reason: unknown) => controller.signal.aborted || setError(reason),
    );
    return () => controller.abort();
  }, [load, missing, cursor]);
  useEffect(() => {
    if (version === 0) return;
    const controller = new AbortController();
    load(undefined, controller.signal).then(
      (page) => controller.signal.aborted || setPages(insertPage(emptyList<T>(), 0, page)),
      (reason: unknown) => controller.signal.aborted || setError(reason),
    );
    return () => controller.abort();
  }, [load, version]);
  useSavedPosition(toOutline(pages));
  useEffect(() => onItems?.(itemsInMemory(pages), pages.isComplete), [onItems, pages]);
  const retry = useCallback(() => setError(undefined), []);
  useRetryWhenOnline(error !== undefined, retry);

  return (
    <>
      <ul
        ref={list}
        className={`${basics.list} ${styles.list}`}
        style={{ height: `calc(${rows} * var(--row))`, paddingTop: `calc(${first} * var(--row))` }}
      >
        {rowsInRange(pages, first, end).map(({ number, item }) => (
          <li
            key={item === undefined ? number : keyOf(item)}
            className={styles.row}
            aria-posinset={number + 1}
            aria-setsize={pages.isComplete ? rows : -1}
          >
            {item !== undefined && row(item)}
          </li>
        ))}
      </ul>
      {rows > end - first && <p className={basics.printOnly}>{texts.printedRows(end - first)}</p>}
      <ErrorNotice error={error} onRetry={retry} />
      {rows === 0 && pages.isComplete && empty}
      {missing === pages.slots.length - 1 && (
        <p className={basics.quiet} role="status">
          {rows === 0 ? texts.loading(what) : texts.loadingMore(what)}
        </p>
      )}
    </>
  );
}

/** The range of rows to render; `end` is exclusive. */
function useVisibleRows(rows: number) {
  const list = useRef<HTMLUListElement>(null);
  const [visible, setVisible] = useState({ first: 0, end: 0 });
  const measure = useCallback(() => {
    const box = list.current?.getBoundingClientRect();
    if (!box || rows === 0) return;
    const height = box.height / rows;
    const first = Math.max(0, Math.floor(-box.top / height) - OVERSCAN_ROWS);
    const end = Math.min(rows, Math.ceil((innerHeight - box.top) / height) + OVERSCAN_ROWS);
    setVisible((last) => (last.first === first && last.end === end ? last : { first, end: Math.max(first, end) }));
  }, [rows]);
  useLayoutEffect(() => {
    measure();
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener('scroll', measure, { passive: true, signal });
    window.addEventListener('resize', measure, { signal });
    return () => controller.abort();
  }, [measure]);
  // The list may have become shorter since.
  return { list, first: Math.min(visible.first, rows), end: Math.min(visible.end, rows) };
}

function savedPosition(): { list?: unknown; top?: unknown } {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null ? state : {};
}

/** Saves list and scroll position with the current history entry, and restores the scroll position. */
function useSavedPosition(outline: unknown): void {
  const latest = useRef(outline);
  useEffect(() => {
    latest.current = outline;
  });
  useLayoutEffect(() => {
    const { top } = savedPosition();
    if (typeof top === 'number') scrollTo(0, top);
  }, []);
  useEffect(() => {
    const entry = location.href;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const save = () => {
      clearTimeout(timer);
      if (location.href === entry) history.replaceState({ list: latest.current, top: scrollY }, '');
    };
    const saveSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(save, SAVE_DELAY_MS);
    };
    const controller = new AbortController();
    const { signal } = controller;
    window.addEventListener('scroll', saveSoon, { passive: true, signal });
    // Captured, to run before the navigation that the click may cause.
    window.addEventListener('click', save, { capture: true, signal });
    window.addEventListener('pagehide', save, { signal });
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, []);
}
