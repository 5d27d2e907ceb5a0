// Walking over what may be far more than fits into memory, while it moves: a bounded number at a time, and nothing is
// told that is not the same on a second look.

import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '@provenance-registry/core';
import type { Divergence } from './divergence.js';

/** One way through things of one kind. */
export interface Walk<Subject> {
  /** As the summary calls them. */
  readonly what: string;
  batches(): AsyncIterable<readonly Subject[]>;
  /** What speaks against these as they are now, each with the one it is about. */
  judge(subjects: readonly Subject[]): Promise<Found<Subject>[]>;
}

export interface Found<Subject> {
  readonly subject: Subject;
  readonly divergence: Divergence;
}

export interface Patience {
  /** By then, the service has noticed a reorganisation, and who gave a creation up has removed its files. */
  readonly secondLookMs: number;
  /** Before what did not work is tried again, each time twice as long. */
  readonly retryMs: number;
}

export const usualPatience: Patience = { secondLookMs: 6_000, retryMs: 1_000 };

/** Half a minute in all: longer than a restart of anything that the audit stands on. */
const MAX_ATTEMPTS = 6;
/** So many may wait for their second look; the next ones wait with the walk. */
const MAX_DOUBTFUL = 1_000;
const LOOKED_AT_TOGETHER = 100;

interface Doubt<Subject> {
  readonly subject: Subject;
  readonly name: string;
  /** On the clock that never jumps. */
  readonly dueAt: number;
}

/** The divergences that are there on a second look as well; `walked` is told of each batch that was looked at. */
export async function* divergencesOn<Subject>(
  { batches, judge }: Walk<Subject>,
  patience: Patience,
  walked: (count: number) => void,
): AsyncGenerator<Divergence> {
  let doubts: Doubt<Subject>[] = [];

  /** At those that have waited long enough; `atAll`: at all of them, when they have. */
  async function* lookAgain(atAll: boolean): AsyncGenerator<Divergence> {
    const last = doubts.at(-1);
    if (last && atAll) await delay(Math.max(0, last.dueAt - performance.now()));
    const now = performance.now();
    const due = doubts.filter(({ dueAt }) => atAll || dueAt <= now);
    doubts = doubts.filter((doubt) => !due.includes(doubt));
    const names = new Set(due.map(({ name }) => name));
    const subjects = [...new Set(due.map(({ subject }) => subject))];
    for (let next = 0; next < subjects.length; next += LOOKED_AT_TOGETHER) {
      const found = await persistently(() => judge(subjects.slice(next, next + LOOKED_AT_TOGETHER)), patience);
      for (const { divergence } of found) if (names.has(nameOf(divergence))) yield divergence;
    }
  }

  for await (const batch of batches()) {
    const found = await persistently(() => judge(batch), patience);
    const dueAt = performance.now() + patience.secondLookMs;
    for (const { subject, divergence } of found) doubts.push({ subject, name: nameOf(divergence), dueAt });
    walked(batch.length);
    yield* lookAgain(doubts.length >= MAX_DOUBTFUL);
  }
  yield* lookAgain(true);
}

function nameOf({ code, about }: Divergence): string {
  return JSON.stringify([code, about]);
}

/** A walk of hours must outlast a moment in which something is away. */
export async function persistently<T>(work: () => Promise<T>, { retryMs }: Patience): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof RegistryError && error.code === 'UNAVAILABLE';
      if (!mayPass || attempt === MAX_ATTEMPTS) throw error;
      await delay(retryMs * 2 ** (attempt - 1));
    }
  }
}

/** Pages in the order of their keys: each begins after the last one of the page before. */
export async function* pages<Item>(
  read: (after: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) yield page;
}

/** The results in no particular order. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) results.push(...(await work(item)));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
