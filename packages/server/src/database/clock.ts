// The time that all processes share: that of the database. Between two measurements it goes on by the monotonic clock of
// the process, which cannot be set.

import { RegistryError } from '@provenance-registry/core';
import { sql } from 'kysely';
import { JobLoop } from '../jobs/jobLoop.js';
import type { Database } from './connection.js';

/** Clocks of machines drift by less than a millisecond in this time; a database that fails over may bring another clock. */
const MEASURE_INTERVAL_MS = 10_000;
/** A measurement is wrong by half of the time that it took at most. */
const MAX_ROUND_TRIP_MS = 1_000;

/** Time-stamps, certificates and logs of other programs on this machine are off as well: worth a look. */
const NOTABLE_SKEW_MS = 2_000;
/** One of the two clocks is wrong, and nothing tells which: what is written now may count as expired or as future. */
const MAX_SKEW_MS = 30_000;

/** The clocks of a process. */
export interface ProcessClock {
  /** The time of day, which may be wrong and may jump. */
  readonly now: () => number;
  /** Never jumps. */
  readonly monotonic: () => number;
}

const systemClock: ProcessClock = { now: () => Date.now(), monotonic: () => performance.now() };

export class DatabaseClock {
  readonly #own: ProcessClock;
  /** The time of the database less that of the monotonic clock. */
  #offsetMs: number;
  /** Requests that wait for a measurement wait for the same one. */
  #measuring: Promise<void> | undefined;
  #followed: Database | undefined;

  constructor(own: ProcessClock = systemClock) {
    this.#own = own;
    this.#offsetMs = own.now() - own.monotonic();
  }

  /** The database's time; until the first measurement, the process's own. */
  readonly now = (): Date => new Date(this.#own.monotonic() + this.#offsetMs);

  /** How far the process's own clock is ahead of the database's; negative if it is behind. */
  readSkewMs(): number {
    return this.#own.now() - this.now().getTime();
  }

  /** Says that the process's own clock is notably off. */
  describeSkew(): string | undefined {
    const skewMs = this.readSkewMs();
    if (Math.abs(skewMs) <= NOTABLE_SKEW_MS) return undefined;
    return `${(Math.abs(skewMs) / 1_000).toFixed(0)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database`;
  }

  mayWrite(): boolean {
    return Math.abs(this.readSkewMs()) <= MAX_SKEW_MS;
  }

  /**
   * Throws UNAVAILABLE while the process's own clock is so far off that nothing should be written. Measures before it does: a
   * computer that was asleep has gone on with its time of day, not with its monotonic clock.
   */
  readonly requireRightTime = async (): Promise<void> => {
    if (this.mayWrite()) return;
    await this.#measureAgain();
    if (this.mayWrite()) return;
    throw new RegistryError(
      'UNAVAILABLE',
      `The clock of this server is ${this.describeSkew()}: it changes nothing until that is corrected.`,
    );
  };

  async measure(database: Database): Promise<void> {
    const startedAt = this.#own.monotonic();
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(database);
    const roundTripMs = this.#own.monotonic() - startedAt;
    const [row] = rows;
    if (row && roundTripMs <= MAX_ROUND_TRIP_MS) this.#offsetMs = row.now - startedAt - roundTripMs / 2;
  }

  /** Measures now and then; returns the closer. While the database is unavailable, the last measurement stands. */
  follow(database: Database): () => Promise<void> {
    this.#followed = database;
    const loop = new JobLoop({
      step: async () => {
        await this.measure(database);
        return MEASURE_INTERVAL_MS;
      },
      onFailure: () => MEASURE_INTERVAL_MS,
    });
    return () => loop.stop();
  }

  async #measureAgain(): Promise<void> {
    if (!this.#followed) return;
    // While the database is unavailable, the last measurement stands.
    this.#measuring ??= this.measure(this.#followed)
      .catch(() => {})
      .finally(() => {
        this.#measuring = undefined;
      });
    await this.#measuring;
  }
}
