// The index of images: keeps a copy of all hashes in memory, and searches them. Searches that wait share a pass over the
// hashes.

import { RegistryError } from '@provenance-registry/core';
import type { ImageHashSource, ImageHit, ImageIndex, ImageQuery, ImageSearch } from '../domain/ports/index.js';
import {
  imageIndexFaults,
  imageIndexLoaded,
  imageIndexPass,
  imageIndexQuestions,
  imageIndexSize,
} from '../monitoring/metrics.js';
import { HashReplica } from './hashReplica.js';
import { LostHashesError } from './hashShards.js';
import { type EncodedSearch, encodeHash } from './hashStore.js';

export interface ImageIndexOptions {
  readonly source: ImageHashSource;
  readonly log: (level: 'info' | 'warn' | 'error', details: object, message: string) => void;
  readonly intervals?: Partial<typeof defaultIntervals>;
  /** Returns the pause instead of `pollMs`: `wake` is called for what other processes record as well. */
  readonly pauseMs?: (pollMs: number) => number;
  /** The file that a thread runs; by default `imageHashWorker`. */
  readonly threadFile?: URL | undefined;
}

const defaultIntervals = {
  /** Other processes find a new hash after this time at most, and what reading it takes. */
  pollMs: 2_000,
  /** Between two reads after `wake`: under load, one read finds the hashes of many creations. */
  wakeMs: 100,
  /** One chunk at a time is compared with the table, which takes it about 20 ms. */
  checkMs: 10_000,
};

/** Queries of several searches in one pass, unless one search has more: a search does not wait for long behind many. */
const MAX_PASS_QUERIES = 32;

interface WaitingSearch {
  readonly search: EncodedSearch;
  readonly resolve: (hits: ImageHit[]) => void;
  readonly reject: (reason: unknown) => void;
}

export class ImageHashIndex implements ImageIndex {
  readonly #options: ImageIndexOptions;
  readonly #intervals: typeof defaultIntervals;
  #replica: HashReplica;
  #isLoaded = false;
  #isClosed = false;
  #checkedAt = performance.now();
  #gapsReadAt = performance.now();

  #timer: NodeJS.Timeout | undefined;
  #update: Promise<void> | undefined;
  #isUpdateDue = false;

  #isPassRunning = false;
  readonly #waiting: WaitingSearch[] = [];

  constructor(options: ImageIndexOptions) {
    this.#options = options;
    this.#intervals = { ...defaultIntervals, ...options.intervals };
    this.#replica = this.#createReplica();
  }

  /** Resolves when the first page is read; the rest is read meanwhile. */
  async start(): Promise<void> {
    this.#setLoaded(false);
    for (const reason of ['differs', 'thread']) imageIndexFaults.inc({ reason }, 0);
    const isMore = await this.#replica.readNext().catch((error: unknown) => {
      this.#logRetry(error);
      return true;
    });
    const updated = this.#runUpdate();
    if (!isMore) await updated;
  }

  search(queries: readonly ImageQuery[], search: ImageSearch): Promise<readonly ImageHit[]> {
    if (!this.#isLoaded || this.#isClosed) return Promise.reject(unavailableError());
    imageIndexQuestions.inc(queries.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ search: encodeSearch(queries, search), resolve, reject });
      // Searches of this turn of the event loop share the pass.
      setImmediate(() => void this.#runPasses());
    });
  }

  wake(): void {
    if (this.#isUpdateDue || this.#isClosed) return;
    this.#isUpdateDue = true;
    if (!this.#update) this.#scheduleUpdate(this.#intervals.wakeMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#update;
    await this.#replica.close();
  }

  #createReplica(): HashReplica {
    return new HashReplica(this.#options.source, this.#options.threadFile);
  }

  #setLoaded(value: boolean): void {
    this.#isLoaded = value;
    imageIndexLoaded.set(Number(value));
  }

  #logRetry(error: unknown): void {
    this.#options.log('warn', { err: error }, 'image codes: reading failed and will be retried');
  }

  #scheduleUpdate(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#runUpdate(), ms).unref();
  }

  #runUpdate(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isUpdateDue = false;
    this.#update ??= this.#updateReplica().finally(() => {
      this.#update = undefined;
      const { wakeMs, pollMs } = this.#intervals;
      const { pauseMs = () => pollMs } = this.#options;
      if (!this.#isClosed) this.#scheduleUpdate(this.#isUpdateDue ? wakeMs : pauseMs(pollMs));
    });
    return this.#update;
  }

  async #updateReplica(): Promise<void> {
    const used = this.#replica;
    try {
      await this.#readNew(used);
    } catch (error) {
      if (this.#isClosed) return;
      if (error instanceof LostHashesError) await this.#startOver(used, error);
      else this.#logRetry(error);
    }
  }

  /** A failed search may replace the replica meanwhile: then nothing that was read counts. */
  async #readNew(used: HashReplica): Promise<void> {
    const { pollMs, checkMs } = this.#intervals;
    const isOutdated = () => this.#isClosed || used !== this.#replica;
    while (!isOutdated() && (await used.readNext())) imageIndexSize.set(used.count);
    if (isOutdated()) return;
    if (!this.#isLoaded) this.#options.log('info', { images: used.count }, 'image codes: all are read');
    this.#setLoaded(true);
    if (performance.now() - this.#gapsReadAt >= pollMs) {
      await used.readGaps();
      this.#gapsReadAt = performance.now();
    }
    if (!isOutdated() && performance.now() - this.#checkedAt >= checkMs) await this.#check(used);
    imageIndexSize.set(this.#replica.count);
  }

  async #check(used: HashReplica): Promise<void> {
    this.#checkedAt = performance.now();
    if (await used.checkNextChunk()) return;
    imageIndexFaults.inc({ reason: 'differs' });
    this.#options.log(
      'error',
      {},
      'image codes: the index differed from the table; the codes that differed were read again',
    );
  }

  /** Continues with an empty replica, unless that has happened. */
  async #startOver(lost: HashReplica, error: unknown): Promise<void> {
    if (lost !== this.#replica || this.#isClosed) return;
    imageIndexFaults.inc({ reason: 'thread' });
    this.#options.log('error', { err: error }, 'image codes: a thread failed; all codes are read again');
    this.#setLoaded(false);
    this.#replica = this.#createReplica();
    await lost.close();
  }

  async #runPasses(): Promise<void> {
    if (this.#isPassRunning) return;
    this.#isPassRunning = true;
    while (this.#waiting.length > 0) await this.#runPass(this.#takeBatch());
    this.#isPassRunning = false;
  }

  async #runPass(batch: readonly WaitingSearch[]): Promise<void> {
    const used = this.#replica;
    const endPass = imageIndexPass.startTimer();
    try {
      const results = await used.scan(batch.map(({ search }) => search));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? []);
    } catch (error) {
      for (const { reject } of batch) reject(unavailableError());
      await this.#startOver(used, error);
    } finally {
      endPass();
    }
  }

  #takeBatch(): WaitingSearch[] {
    let queries = 0;
    const end = this.#waiting.findIndex(({ search }, index) => {
      queries += search.queries.length;
      return index > 0 && queries > MAX_PASS_QUERIES;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }
}

function unavailableError(): RegistryError {
  return new RegistryError('UNAVAILABLE', 'The index of images is still being read. Try again in a moment.');
}

function encodeSearch(queries: readonly ImageQuery[], { maxDistance, maxHits, after }: ImageSearch): EncodedSearch {
  return {
    queries: queries.map(({ pHash, dHash }) => ({
      pHash: encodeHash(pHash),
      dHash: dHash === undefined ? undefined : encodeHash(dHash),
    })),
    maxDistance,
    maxHits,
    after: after && { distance: after.distance, sequence: after.sequence },
  };
}
