// Loads data again when an event says that it has changed.

import type { FeedEvent } from '@provenance-registry/core';
import { useEffect, useRef } from 'preact/compat';
import { subscribeToEvents } from '../../../eventStream.js';
import { type EventFilter, matchesFilter } from './eventFilters.js';

/** Events that happen together cause one request. */
const COALESCE_MS = 150;
/** Pause between two requests, however many events there are. */
const INTERVAL_MS = 3_000;

interface Reloadable {
  readonly isLoading: boolean;
  /** The same function at each rendering. */
  readonly reload: () => void;
}

/** Nothing without a filter. The filter is one of a module, or memoized. */
export function useEventReload(
  { isLoading, reload }: Reloadable,
  filter: EventFilter | undefined,
  onEvent?: (event: FeedEvent) => void,
): void {
  const latest = useRef({ isLoading, onEvent });
  latest.current = { isLoading, onEvent };
  useEffect(() => {
    if (!filter) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reloadedAt = Number.NEGATIVE_INFINITY;
    const reloadSoon = () => {
      timer ??= setTimeout(reloadNow, Math.max(COALESCE_MS, reloadedAt + INTERVAL_MS - performance.now()));
    };
    const reloadNow = () => {
      timer = undefined;
      // A request that is under way would be aborted: events that keep coming would never let one finish.
      if (latest.current.isLoading) return reloadSoon();
      reloadedAt = performance.now();
      reload();
    };
    const unsubscribe = subscribeToEvents({
      onEvent: (event) => {
        if (!matchesFilter(event, filter)) return;
        latest.current.onEvent?.(event);
        reloadSoon();
      },
      onOpen: (hasGap) => {
        if (hasGap) reloadSoon();
      },
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [filter, reload]);
}
