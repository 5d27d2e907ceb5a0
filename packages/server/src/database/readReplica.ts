// A streaming replica of the database. It may be behind, so it is asked only for what stays true once it is: that a
// fingerprint has an Artifact. Whatever it does not have is asked of the primary.

import { sql } from 'kysely';
import { JobLoop } from '../jobs/jobLoop.js';
import type { Database } from './connection.js';
import { readCreationTime } from './migrate.js';

const CHECK_INTERVAL_MS = 1_000;
const RETRY_MS = 5_000;
/** A failed registration frees its fingerprint: a replica that stands still must not show it for ever. */
const MAX_LAG_MS = 10_000;

export class ReadReplica {
  readonly #primary: Database;
  readonly #database: Database;
  readonly #loop: JobLoop;
  /** Why it is not asked right now. */
  #unusable: string | undefined = 'has not been compared with the primary yet';
  /** It had everything that was on the primary at this time, by the monotonic clock. */
  #currentAt = Number.NEGATIVE_INFINITY;
  #isSameRegistry = false;

  constructor(primary: Database, database: Database, log: (message: string) => void) {
    this.#primary = primary;
    this.#database = database;
    this.#loop = new JobLoop({
      step: async () => {
        await this.#compare();
        return CHECK_INTERVAL_MS;
      },
      onFailure: (error, { reason, isNew }) => {
        this.reportFailure(error);
        if (isNew) log(`The replica of DATABASE_READ_URL is not used: it ${reason}`);
        return RETRY_MS;
      },
      describeReason: (error) => describe(error),
      onRecovery: () => log('The replica of DATABASE_READ_URL is used again'),
    });
  }

  /** Undefined while it should not be asked. */
  get database(): Database | undefined {
    return this.describeProblem() === undefined ? this.#database : undefined;
  }

  describeProblem(): string | undefined {
    return this.#unusable ?? (performance.now() - this.#currentAt > MAX_LAG_MS ? 'is too far behind' : undefined);
  }

  /** Whoever it failed asks the primary; it is not asked again until a comparison succeeds. */
  reportFailure(error: unknown): void {
    this.#unusable = describe(error);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #compare(): Promise<void> {
    this.#isSameRegistry ||= await this.#hasSameCreation();
    if (!this.#isSameRegistry) throw new UnusableError('has the database of another registry');
    const askedAt = performance.now();
    const primary = await sql<{ position: string }>`select pg_current_wal_lsn() as position`.execute(this.#primary);
    const position = primary.rows[0]?.position ?? null;
    const replica = await sql<{ isReplica: boolean; hasReached: boolean | null }>`
      select pg_is_in_recovery() as "isReplica", pg_last_wal_replay_lsn() >= ${position}::pg_lsn as "hasReached"`.execute(
      this.#database,
    );
    const { isReplica, hasReached } = replica.rows[0] ?? {};
    if (!isReplica) throw new UnusableError('is not a replica, or no longer');
    if (hasReached) this.#currentAt = askedAt;
    this.#unusable = undefined;
  }

  async #hasSameCreation(): Promise<boolean> {
    const [own, other] = await Promise.all([readCreationTime(this.#primary), readCreationTime(this.#database)]);
    return own.getTime() === other.getTime();
  }
}

class UnusableError extends Error {}

function describe(error: unknown): string {
  return error instanceof UnusableError ? error.message : 'is unavailable';
}
