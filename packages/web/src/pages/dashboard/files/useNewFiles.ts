// Files that were registered elsewhere since the list was loaded.

import { type RefObject, useCallback, useEffect, useRef, useState } from 'preact/compat';
import { subscribeToEvents } from '../../../eventStream.js';

/** Files that are registered together appear together. */
const COALESCE_MS = 500;
/** Pause between two requests, however many files there are. */
const INTERVAL_MS = 3_000;

/**
 * `version` changes when the list is to be loaded again: by itself while the user is at its start and has selected nothing,
 * so that nothing moves under their hands; otherwise by `show`, which is offered while `hasNew`.
 */
export function useNewFiles(list: RefObject<HTMLElement | null>, hasSelection: boolean) {
  const [version, setVersion] = useState(0);
  const [hasNew, setHasNew] = useState(false);
  const isSelecting = useRef(hasSelection);
  isSelecting.current = hasSelection;
  const load = useCallback(() => {
    setHasNew(false);
    setVersion((last) => last + 1);
  }, []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loadedAt = Number.NEGATIVE_INFINITY;
    const loadSoon = () => {
      timer ??= setTimeout(loadNow, Math.max(COALESCE_MS, loadedAt + INTERVAL_MS - performance.now()));
    };
    const loadNow = () => {
      timer = undefined;
      if (isSelecting.current || !isAtStart(list.current)) return setHasNew(true);
      loadedAt = performance.now();
      load();
    };
    const unsubscribe = subscribeToEvents({
      onEvent: ({ type }) => {
        if (type === 'artifact.created') loadSoon();
      },
      onOpen: (hasGap) => {
        if (hasGap) loadSoon();
      },
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [list, load]);
  const show = () => {
    list.current?.scrollIntoView();
    load();
  };
  return { version, hasNew, show };
}

/** The start of the list is in view, and the focus is not on one of its rows. */
function isAtStart(list: HTMLElement | null): boolean {
  if (!list || list.getBoundingClientRect().top < 0) return false;
  return list.querySelector('.long-list')?.contains(document.activeElement) !== true;
}
