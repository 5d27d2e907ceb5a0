// Walks over more data than fits into memory, while the service changes it: a bounded number at a time, and only what a
// second check confirms is reported.

import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '@provenance-registry/core';
import type { Divergence } from './divergence.js';

/** A way through all data of one kind. */
export interface Walk<Subject> {
  readonly name: string;
  batches(): AsyncIterable<readonly Subject[]>;
  /** The divergences of these subjects as they are now. */
  check(subjects: readonly Subject[]): Promise<Finding<Subject>[]>;
}

export interface Finding<Subject> {
  readonly subject: Subject;
  readonly divergence: Divergence;
}

export const defaultDelays = {
  /** Until the second check: enough for the service to follow a reorganization, or to remove the files of a failed creation. */
  recheckMs: 6_000,
  /** Before the first retry while something is unavailable; doubled for each further one. */
  retryMs: 1_000,
};
export type AuditDelays = Readonly<typeof defaultDelays>;

/** Half a minute in all: longer than a restart of anything that the audit needs. */
const MAX_ATTEMPTS = 6;
/** When so many wait for their second check, the walk waits too. */
const MAX_SUSPECTS = 1_000;
const RECHECK_BATCH_SIZE = 100;

/** A finding before its second check. */
interface Suspect<Subject> {
  readonly subject: Subject;
  readonly identity: string;
  /** A time of the monotonic clock. */
  readonly dueAt: number;
}

/** The divergences that a second check confirms. `onBatch` gets the size of each batch after its first check. */
export async function* confirmedDivergences<Subject>(
  { batches, check }: Walk<Subject>,
  delays: AuditDelays,
  onBatch: (count: number) => void,
): AsyncGenerator<Divergence> {
  let suspects: Suspect<Subject>[] = [];

  /** Checks those again that are due; with `waitForAll` all of them, when they are. */
  async function* recheck(waitForAll: boolean): AsyncGenerator<Divergence> {
    const last = suspects.at(-1);
    if (last && waitForAll) await delay(Math.max(0, last.dueAt - performance.now()));
    const now = performance.now();
    const due = suspects.filter(({ dueAt }) => waitForAll || dueAt <= now);
    suspects = suspects.filter((suspect) => !due.includes(suspect));
    const identities = new Set(due.map(({ identity }) => identity));
    const subjects = [...new Set(due.map(({ subject }) => subject))];
    for (let next = 0; next < subjects.length; next += RECHECK_BATCH_SIZE) {
      const batch = subjects.slice(next, next + RECHECK_BATCH_SIZE);
      for (const { divergence } of await retryWhileUnavailable(() => check(batch), delays)) {
        if (identities.has(identityOf(divergence))) yield divergence;
      }
    }
  }

  for await (const batch of batches()) {
    const findings = await retryWhileUnavailable(() => check(batch), delays);
    const dueAt = performance.now() + delays.recheckMs;
    for (const { subject, divergence } of findings) {
      suspects.push({ subject, identity: identityOf(divergence), dueAt });
    }
    onBatch(batch.length);
    yield* recheck(suspects.length >= MAX_SUSPECTS);
  }
  yield* recheck(true);
}

function identityOf({ code, about }: Divergence): string {
  return JSON.stringify([code, about]);
}

/** An audit of hours must survive short outages. */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, { retryMs }: AuditDelays): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isUnavailable = error instanceof RegistryError && error.code === 'UNAVAILABLE';
      if (!isUnavailable || attempt === MAX_ATTEMPTS) throw error;
      await delay(retryMs * 2 ** (attempt - 1));
    }
  }
}

/** Keyset pagination: each page starts after the last item of the previous one. */
export async function* readPages<Item>(
  readPage: (after: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  for (let page = await readPage(undefined); page.length > 0; page = await readPage(page.at(-1))) yield page;
}

/** The results are in no particular order. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) results.push(...(await work(item)));
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
