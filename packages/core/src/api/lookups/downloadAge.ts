// The age of the signed downloads: until when their results count.

import type { DownloadIndex } from './downloads.js';

/** Clocks differ by minutes. */
const MAX_CLOCK_DIFFERENCE_MS = 600_000;
/** Of an index that does not state when the next one is published, as those of earlier releases. */
const DEFAULT_LIFETIME_MS = 2 * 86_400_000;

/**
 * How old downloads are: `current`; `outOfDate`, the next index should have been published by now; `impossible`, made in the
 * future, or after the next one.
 * @example
 * ```ts
 * const age: DownloadAge = judgeDownloadAge((await client.getDownloads()).index);
 * ```
 */
export type DownloadAge = 'current' | 'outOfDate' | 'impossible';

/**
 * Judges the age of downloads by their index. Results of an index that is `outOfDate` are not definite, neither "no" nor
 * "maybe"; one that is `impossible` must be refused. The signature of the index is not checked here.
 * @example
 * ```ts
 * const { index } = await client.getDownloads();
 * if (judgeDownloadAge(index) !== 'current') console.log(`out of date, as of ${index.createdAt}`);
 * ```
 */
export function judgeDownloadAge({ createdAt, nextAt }: DownloadIndex, now = new Date()): DownloadAge {
  const created = Date.parse(createdAt);
  const next = nextAt === undefined ? undefined : Date.parse(nextAt);
  const isPossible = created <= now.getTime() + MAX_CLOCK_DIFFERENCE_MS && (next === undefined || next > created);
  if (!isPossible) return 'impossible';
  const end = next === undefined ? created + DEFAULT_LIFETIME_MS : next + MAX_CLOCK_DIFFERENCE_MS;
  return now.getTime() > end ? 'outOfDate' : 'current';
}
