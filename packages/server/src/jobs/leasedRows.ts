// Background work on rows of a queue: each row belongs to one process at a time, until its result is recorded or its lease
// ends. Several are worked on at once.

import { JobLoop } from './jobLoop.js';
import { noNotices, type WorkNotices } from './workNotices.js';

export interface LeasedRowsOptions<Row> {
  /** Begins the messages in the log: `mail: the queue cannot be read`. */
  readonly name: string;
  /** Leases rows that are due, at most as many as there are free slots. */
  readonly leaseDue: (freeSlots: number, active: readonly Row[]) => Promise<readonly Row[]>;
  /** Works on a row and records its result. After `cutOff`, nothing waits for it. */
  readonly work: (row: Row, signals: WorkSignals) => Promise<void>;
  /** Logs that a result could not be recorded, because the database is unavailable: the row is due again after its lease. */
  readonly onUnrecorded: (row: Row, error: unknown) => void;
  /** Called when nothing is due. */
  readonly onIdle?: (activeCount: number) => Promise<void>;
  readonly log: (level: 'warn', details: object, message: string) => void;
  readonly times: LeasedRowsTimes;
  readonly notices?: WorkNotices;
  /** Rows that are worked on at once. */
  readonly maxActive: number;
}

export interface LeasedRowsTimes {
  /** Between two looks at the queue while nothing is due; longer while there are no notices either. */
  readonly pollMs: number;
  /** Between two looks that find something: what becomes due meanwhile needs no query of its own. */
  readonly gatherMs?: number;
  /** How long a stop waits for active work. */
  readonly stopMs: number;
  /** And how long for the end of work that it has cut off. */
  readonly cutOffMs?: number;
}

export interface WorkSignals {
  /** Aborts when no new work should begin. */
  readonly stop: AbortSignal;
  /** Aborts when work should end at once. */
  readonly cutOff: AbortSignal;
}

export class LeasedRows<Row> {
  readonly #options: LeasedRowsOptions<Row>;
  readonly #active = new Map<Promise<void>, Row>();
  readonly #cutOff = new AbortController();
  readonly #loop: JobLoop;

  constructor(options: LeasedRowsOptions<Row>) {
    this.#options = options;
    const { name, log, times, notices = noNotices } = options;
    this.#loop = new JobLoop({
      step: (stop) => this.#step(stop),
      onFailure(_, { reason, isNew }) {
        if (isNew) log('warn', { reason }, `${name}: the queue cannot be read`);
        return times.pollMs;
      },
      minPauseMs: times.pollMs,
      notices,
    });
  }

  /** Waits for active work, but not long: the rest is done after its lease. */
  async close(): Promise<void> {
    const { stopMs, cutOffMs = 0 } = this.#options.times;
    const done = this.#loop.stop().then(() => Promise.all(this.#active.keys()));
    await Promise.race([done, expire(stopMs)]);
    this.#cutOff.abort();
    await Promise.race([done, expire(cutOffMs)]);
  }

  async #step(stop: AbortSignal): Promise<number> {
    const { leaseDue, onIdle, maxActive, times, notices = noNotices } = this.#options;
    const freeSlots = maxActive - this.#active.size;
    const rows = freeSlots === 0 ? [] : await leaseDue(freeSlots, [...this.#active.values()]);
    for (const row of rows) this.#start(row, stop);
    if (rows.length > 0) return times.gatherMs ?? 0;
    await onIdle?.(this.#active.size);
    return notices.pauseMs(times.pollMs);
  }

  #start(row: Row, stop: AbortSignal): void {
    const { work, onUnrecorded } = this.#options;
    const working = work(row, { stop, cutOff: this.#cutOff.signal })
      .catch((error: unknown) => onUnrecorded(row, error))
      .finally(() => this.#active.delete(working));
    this.#active.set(working, row);
  }
}

/** Does not keep the process alive. */
function expire(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
