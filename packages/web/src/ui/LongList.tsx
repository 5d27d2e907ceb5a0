// A list of any length: only the rows that are seen are in the document, and only the pages around them in memory. The
// browser's history keeps the place, so that going back and reloading lead to where one was.

import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  fromOutline,
  missingPage,
  noPages,
  outlineOf,
  type PageOf,
  rowsBetween,
  rowsOf,
  withPage,
} from './pagedList.js';
import { Failure } from './QueryView.js';
import './longList.css';

/** Rows on either side of those that are seen: what the Tab key and a turn of the wheel reach next. */
const ROWS_AROUND = 8;
/** Rows before the end at which the next page is asked for. */
const ROWS_AHEAD = 40;
/** After the last movement; browsers allow no more than a few changes of the history in a second. */
const SETTLED_MS = 150;

interface LongListProps<T> {
  /** Loads anew when it changes: keep it still with useCallback. */
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>;
  readonly keyOf: (item: T) => string;
  readonly row: (item: T) => ReactNode;
  /** What the list is of, as in "Loading the Marks …". */
  readonly what: string;
  readonly empty: ReactNode;
}

export function LongList<T>({ load, keyOf, row, what, empty }: LongListProps<T>) {
  const [pages, setPages] = useState(() => fromOutline<T>(keptPlace().list) ?? noPages<T>());
  const [error, setError] = useState<unknown>();
  const rows = rowsOf(pages);
  const { list, first, end } = useSeenRows(rows);
  const missing = error === undefined ? missingPage(pages, first, end + ROWS_AHEAD) : undefined;
  const cursor = missing === undefined ? undefined : pages.places[missing]?.cursor;
  useEffect(() => {
    if (missing === undefined) return;
    const stop = new AbortController();
    load(cursor, stop.signal).then(
      (page) => stop.signal.aborted || setPages((before) => withPage(before, missing, page)),
      (failure: unknown) => stop.signal.aborted || setError(failure),
    );
    return () => stop.abort();
  }, [load, missing, cursor]);
  useKeptPlace(outlineOf(pages));
  const retry = useCallback(() => setError(undefined), []);
  useEffect(() => {
    if (error === undefined) return;
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [error, retry]);

  return (
    <>
      <ul
        ref={list}
        className="long-list"
        style={{ height: `calc(${rows} * var(--row))`, paddingTop: `calc(${first} * var(--row))` }}
      >
        {rowsBetween(pages, first, end).map(({ number, item }) => (
          <li
            key={item === undefined ? number : keyOf(item)}
            className="long-list-row"
            aria-posinset={number + 1}
            aria-setsize={pages.isComplete ? rows : -1}
          >
            {item !== undefined && row(item)}
          </li>
        ))}
      </ul>
      {error !== undefined && <Failure error={error} onRetry={retry} />}
      {rows === 0 && pages.isComplete && empty}
      {missing === pages.places.length - 1 && (
        <p className="quiet" role="status">
          Loading {rows === 0 ? what : `more ${what}`} …
        </p>
      )}
    </>
  );
}

/** From the first row that is to be drawn up to the one behind the last. */
function useSeenRows(rows: number) {
  const list = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ first: 0, end: 0 });
  const measure = useCallback(() => {
    const box = list.current?.getBoundingClientRect();
    if (!box || rows === 0) return;
    const height = box.height / rows;
    const first = Math.max(0, Math.floor(-box.top / height) - ROWS_AROUND);
    const end = Math.min(rows, Math.ceil((innerHeight - box.top) / height) + ROWS_AROUND);
    setSeen((last) => (last.first === first && last.end === end ? last : { first, end: Math.max(first, end) }));
  }, [rows]);
  useLayoutEffect(() => {
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [measure]);
  // A list that has become shorter has no rows where one was.
  return { list, first: Math.min(seen.first, rows), end: Math.min(seen.end, rows) };
}

function keptPlace(): { list?: unknown; top?: unknown } {
  const kept: unknown = history.state;
  return typeof kept === 'object' && kept !== null ? kept : {};
}

/** Where one was, kept with this entry of the history, and taken up again when one comes back to it. */
function useKeptPlace(outline: unknown): void {
  const latest = useRef(outline);
  useEffect(() => {
    latest.current = outline;
  });
  useLayoutEffect(() => {
    const { top } = keptPlace();
    if (typeof top === 'number') scrollTo(0, top);
  }, []);
  useEffect(() => {
    const entry = location.href;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      clearTimeout(timer);
      if (location.href === entry) history.replaceState({ list: latest.current, top: scrollY }, '');
    };
    const keepSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, SETTLED_MS);
    };
    window.addEventListener('scroll', keepSoon, { passive: true });
    // Before whatever a click or a key leads to.
    window.addEventListener('click', keep, { capture: true });
    window.addEventListener('pagehide', keep);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('scroll', keepSoon);
      window.removeEventListener('click', keep, { capture: true });
      window.removeEventListener('pagehide', keep);
    };
  }, []);
}
