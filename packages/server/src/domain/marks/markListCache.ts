// Caches each user's list of writable Marks. What is cached is the pending query itself: concurrent requests share it, and
// a result that was requested before a write is never kept after it.

import type { Mark } from '@provenance-registry/core';
import type { Clock, MarkListCache } from '../ports/index.js';

export const MARK_LIST_TTL_MS = 60_000;
/** Ten thousand lists of a few Marks each take some tens of megabytes; the oldest are dropped first. */
const MAX_LISTS = 10_000;

export function createMarkListCache(clock: Clock, loadMarks: (userId: string) => Promise<Mark[]>): MarkListCache {
  const lists = new Map<string, { readonly marks: Promise<Mark[]>; readonly expiresAt: number }>();
  return {
    list(userId) {
      const now = clock().getTime();
      const cached = lists.get(userId);
      if (cached && cached.expiresAt > now) return cached.marks;
      const entry = { marks: loadMarks(userId), expiresAt: now + MARK_LIST_TTL_MS };
      lists.delete(userId);
      lists.set(userId, entry);
      const [oldest] = lists.keys();
      if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest);
      entry.marks.catch(() => {
        if (lists.get(userId) === entry) lists.delete(userId);
      });
      return entry.marks;
    },
    invalidate: (userId) => void lists.delete(userId),
  };
}
