// The index of images: copies all codes from the table to memory, follows the table, and answers searches. Searches that
// wait share a pass over the codes.

import { RegistryError } from '@provenance-registry/core';
import type { ImageCodeSource, ImageHit, ImageIndex, ImageQuestion, ImageSearch } from '../domain/ports/index.js';
import { type EncodedSearch, encodeCode } from './codeStore.js';
import { SequenceGaps } from './sequenceGaps.js';
import { type CodeThreads, createCodeThreads } from './threads.js';

export interface ImageIndexOptions {
  readonly source: ImageCodeSource;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly pollMs?: number;
}

export interface RunningImageIndex extends ImageIndex {
  /** Reads the first page; the rest is read meanwhile. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Other processes find a new code after this time at most, and what reading it takes. */
const POLL_MS = 2_000;
/** Read in about 20 ms, and decoded in 5, during which requests wait. */
const PAGE_SIZE = 16_384;
/** Of several searches in one pass, unless one has more: a search does not wait for long behind many. */
const MAX_PASS_QUESTIONS = 32;

interface WaitingSearch {
  readonly search: EncodedSearch;
  readonly resolve: (hits: ImageHit[]) => void;
  readonly reject: (reason: unknown) => void;
}

export function createImageIndex({ source, log, pollMs = POLL_MS }: ImageIndexOptions): RunningImageIndex {
  let threads = createCodeThreads();
  let gaps = new SequenceGaps();
  let lastSequence = 0;
  let isLoaded = false;
  let isClosed = false;
  let isPassRunning = false;
  let waiting: WaitingSearch[] = [];
  let timer: NodeJS.Timeout | undefined;
  let update: Promise<void> | undefined;
  let isUpdateDue = false;

  /** Returns whether there may be more. */
  async function readPage(): Promise<boolean> {
    const page = await source.readAfter(lastSequence, PAGE_SIZE);
    await threads.write(page);
    gaps.follow(lastSequence, page.sequences);
    lastSequence = page.sequences.at(-1) ?? lastSequence;
    return page.sequences.length === PAGE_SIZE;
  }

  async function readGaps(): Promise<void> {
    const asked = gaps.takeDue();
    if (asked.length === 0) return;
    const page = await source.readRanges(asked);
    await threads.write(page);
    gaps.fill(page.sequences);
  }

  async function readNews(): Promise<void> {
    while (!isClosed && (await readPage()));
    if (isClosed) return;
    await readGaps();
    isLoaded = true;
  }

  function runUpdate(): Promise<void> {
    update ??= readNews()
      .catch((error: unknown) => log('warn', { err: error }, 'image codes: reading failed and will be retried'))
      .finally(() => {
        update = undefined;
        if (isClosed) return;
        clearTimeout(timer);
        timer = setTimeout(runUpdate, isUpdateDue ? 0 : pollMs);
        timer.unref();
        isUpdateDue = false;
      });
    return update;
  }

  function reload(error: unknown): void {
    log('error', { err: error }, 'image codes: a thread failed; all codes are read again');
    const lost: CodeThreads = threads;
    void lost.close();
    threads = createCodeThreads();
    gaps = new SequenceGaps();
    lastSequence = 0;
    isLoaded = false;
    isUpdateDue = true;
    void runUpdate();
  }

  async function runPasses(): Promise<void> {
    if (isPassRunning) return;
    isPassRunning = true;
    while (waiting.length > 0) await runPass(takeBatch());
    isPassRunning = false;
  }

  async function runPass(batch: readonly WaitingSearch[]): Promise<void> {
    const used = threads;
    try {
      const results = await used.scan(batch.map(({ search }) => search));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? []);
    } catch (error) {
      for (const { reject } of batch) reject(unavailableError());
      if (used === threads && !isClosed) reload(error);
    }
  }

  function takeBatch(): WaitingSearch[] {
    let questions = 0;
    const count = waiting.findIndex(({ search }, index) => {
      questions += search.questions.length;
      return index > 0 && questions > MAX_PASS_QUESTIONS;
    });
    const batch = count < 0 ? waiting : waiting.slice(0, count);
    waiting = count < 0 ? [] : waiting.slice(count);
    return batch;
  }

  return {
    async start() {
      try {
        if (await readPage()) void runUpdate();
        else await runUpdate();
      } catch (error) {
        log('warn', { err: error }, 'image codes: reading failed and will be retried');
        void runUpdate();
      }
    },
    search(questions, search) {
      if (!isLoaded || isClosed) return Promise.reject(unavailableError());
      return new Promise((resolve, reject) => {
        waiting.push({ search: encodeSearch(questions, search), resolve, reject });
        // Searches of this turn of the event loop share the pass.
        setImmediate(() => void runPasses());
      });
    },
    wake() {
      isUpdateDue = true;
      if (!update && !isClosed) void runUpdate();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await update;
      await threads.close();
    },
  };
}

function unavailableError(): RegistryError {
  return new RegistryError('UNAVAILABLE', 'The index of images is still being read. Try again in a moment.');
}

function encodeSearch(
  questions: readonly ImageQuestion[],
  { maxDistance, maxHits, after }: ImageSearch,
): EncodedSearch {
  return {
    questions: questions.map(({ pHash, dHash }) => ({
      pHash: encodeCode(pHash),
      dHash: dHash === undefined ? undefined : encodeCode(dHash),
    })),
    maxDistance,
    maxHits,
    after: after && { distance: after.distance, sequence: after.sequence },
  };
}
