// The index of images: keeps a copy of all codes in memory, and answers searches. Searches that wait share a pass over the
// codes.

import { RegistryError } from '@provenance-registry/core';
import type { ImageCodeSource, ImageHit, ImageIndex, ImageQuestion, ImageSearch } from '../domain/ports/index.js';
import {
  imageIndexFaults,
  imageIndexLoaded,
  imageIndexPass,
  imageIndexQuestions,
  imageIndexSize,
} from '../monitoring/metrics.js';
import { type EncodedSearch, encodeCode } from './codeStore.js';
import { CodeCopy } from './hashReplica.js';
import { LostCodesError } from './hashShards.js';

export interface ImageIndexOptions {
  readonly source: ImageCodeSource;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly intervals?: Partial<typeof defaultIntervals>;
  /** What a thread runs; by default `imageCodeWorker`. */
  readonly threadFile?: URL | undefined;
}

export interface RunningImageIndex extends ImageIndex {
  /** Resolves when the first page is read; the rest is read meanwhile. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const defaultIntervals = {
  /** Other processes find a new code after this time at most, and what reading it takes. */
  pollMs: 2_000,
  /** Between two reads after `wake`: under load, one read finds the codes of many creations. */
  wakeMs: 100,
  /** One chunk at a time is compared with the table, which takes it about 20 ms. */
  checkMs: 10_000,
};

/** Of several searches in one pass, unless one has more: a search does not wait for long behind many. */
const MAX_PASS_QUESTIONS = 32;

interface WaitingSearch {
  readonly search: EncodedSearch;
  readonly resolve: (hits: ImageHit[]) => void;
  readonly reject: (reason: unknown) => void;
}

export function createImageIndex({ source, log, intervals = {}, threadFile }: ImageIndexOptions): RunningImageIndex {
  const { pollMs, wakeMs, checkMs } = { ...defaultIntervals, ...intervals };
  let copy = new CodeCopy(source, threadFile);
  let isLoaded = false;
  let isClosed = false;
  let checkedAt = performance.now();
  let gapsReadAt = performance.now();

  let timer: NodeJS.Timeout | undefined;
  let update: Promise<void> | undefined;
  let isUpdateDue = false;

  let isPassRunning = false;
  let waiting: WaitingSearch[] = [];

  function setLoaded(value: boolean): void {
    isLoaded = value;
    imageIndexLoaded.set(Number(value));
  }

  /** A failed search may replace the copy meanwhile: then nothing that was read counts. */
  async function readNews(used: CodeCopy): Promise<void> {
    const isOutdated = () => isClosed || used !== copy;
    while (!isOutdated() && (await used.readNext())) imageIndexSize.set(used.count);
    if (isOutdated()) return;
    if (!isLoaded) log('info', { images: used.count }, 'image codes: all are read');
    setLoaded(true);
    if (performance.now() - gapsReadAt >= pollMs) {
      await used.readGaps();
      gapsReadAt = performance.now();
    }
    if (!isOutdated() && performance.now() - checkedAt >= checkMs) await checkCopy(used);
    imageIndexSize.set(copy.count);
  }

  async function checkCopy(used: CodeCopy): Promise<void> {
    checkedAt = performance.now();
    if (await used.checkNextChunk()) return;
    imageIndexFaults.inc({ reason: 'differs' });
    log('error', {}, 'image codes: the index differed from the table; the codes that differed were read again');
  }

  async function updateCopy(): Promise<void> {
    const used = copy;
    try {
      await readNews(used);
    } catch (error) {
      if (isClosed) return;
      if (error instanceof LostCodesError) await startAgain(used, error);
      else log('warn', { err: error }, 'image codes: reading failed and will be retried');
    }
  }

  function runUpdate(): Promise<void> {
    clearTimeout(timer);
    isUpdateDue = false;
    update ??= updateCopy().finally(() => {
      update = undefined;
      if (isClosed) return;
      timer = setTimeout(runUpdate, isUpdateDue ? wakeMs : pollMs);
      timer.unref();
    });
    return update;
  }

  /** With an empty copy, unless that has happened. */
  async function startAgain(lost: CodeCopy, error: unknown): Promise<void> {
    if (lost !== copy || isClosed) return;
    imageIndexFaults.inc({ reason: 'thread' });
    log('error', { err: error }, 'image codes: a thread failed; all codes are read again');
    setLoaded(false);
    copy = new CodeCopy(source, threadFile);
    await lost.close();
  }

  async function runPasses(): Promise<void> {
    if (isPassRunning) return;
    isPassRunning = true;
    while (waiting.length > 0) await runPass(takeBatch());
    isPassRunning = false;
  }

  async function runPass(batch: readonly WaitingSearch[]): Promise<void> {
    const used = copy;
    const endPass = imageIndexPass.startTimer();
    try {
      const results = await used.scan(batch.map(({ search }) => search));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? []);
    } catch (error) {
      for (const { reject } of batch) reject(unavailableError());
      await startAgain(used, error);
    } finally {
      endPass();
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
      setLoaded(false);
      for (const reason of ['differs', 'thread']) imageIndexFaults.inc({ reason }, 0);
      let isMore = true;
      try {
        isMore = await copy.readNext();
      } catch (error) {
        log('warn', { err: error }, 'image codes: reading failed and will be retried');
      }
      const updated = runUpdate();
      if (!isMore) await updated;
    },
    search(questions, search) {
      if (!isLoaded || isClosed) return Promise.reject(unavailableError());
      imageIndexQuestions.inc(questions.length);
      return new Promise((resolve, reject) => {
        waiting.push({ search: encodeSearch(questions, search), resolve, reject });
        // Searches of this turn of the event loop share the pass.
        setImmediate(() => void runPasses());
      });
    },
    wake() {
      if (isUpdateDue || isClosed) return;
      isUpdateDue = true;
      if (update) return;
      clearTimeout(timer);
      timer = setTimeout(runUpdate, wakeMs);
      timer.unref();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await update;
      await copy.close();
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
