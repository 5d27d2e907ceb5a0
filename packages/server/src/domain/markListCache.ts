// Remembers, for each user, the list of Marks that the user may write under. What is remembered is the question itself:
// who asks while an answer is on its way waits for that one, and an answer that a write has outdated is never kept.

import type { Mark } from '@provenance-registry/core';
import type { Clock, MarkListCache } from './ports/index.js';

export const MARK_LIST_MS = 60_000;
/** The oldest go first; ten thousand lists of a few Marks each are some tens of megabytes. */
const MAX_LISTS = 10_000;

export function createMarkListCache(clock: Clock): MarkListCache {
  const lists = new Map<string, { readonly marks: Promise<Mark[]>; readonly until: number }>();
  return {
    get(caller, load) {
      const now = clock().getTime();
      const known = lists.get(caller);
      if (known && known.until > now) return known.marks;
      const entry = { marks: load(), until: now + MARK_LIST_MS };
      lists.delete(caller);
      lists.set(caller, entry);
      const [oldest] = lists.keys();
      if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
      entry.marks.catch(() => {
        if (lists.get(caller) === entry) lists.delete(caller);
      });
      return entry.marks;
    },
    forget: (caller) => void lists.delete(caller),
  };
}
