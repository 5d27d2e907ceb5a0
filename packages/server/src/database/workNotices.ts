// Notices of work by PostgreSQL's LISTEN and NOTIFY. They only save queries: what no notice tells of is found by the next look.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { JobLoop } from '../jobs/jobLoop.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { createClient, type Database, type DatabaseAddress } from './connection.js';

const CHANNEL = 'provenance_registry_work';
/** Notices to other processes are sent together: under load, 20 in a second. */
const GATHER_MS = 50;
/** Work brings further work for a while, such as retries, which nothing announces. */
const QUIET_MS = 20_000;
/** Between two looks of a loop while nothing happens: what nobody has announced waits so long at most. */
const IDLE_INTERVAL_MS = 5_000;
/** Between two checks of the connection that listens. */
const CHECK_MS = 10_000;

export class DatabaseWorkNotices implements WorkNotices {
  /** Tells apart the notices of this process, whose loops are woken without the database. */
  readonly #sender = randomUUID();
  readonly #database: Database;
  readonly #address: DatabaseAddress;
  readonly #listeners = new Set<() => void>();
  readonly #loop: JobLoop;
  #client: pg.Client | undefined;
  #announcedAt = performance.now();
  #sendTimer: NodeJS.Timeout | undefined;

  constructor(database: Database, address: DatabaseAddress) {
    this.#database = database;
    this.#address = address;
    this.#loop = new JobLoop({
      step: async () => {
        await this.#checkClient();
        return CHECK_MS;
      },
      onFailure: () => CHECK_MS,
    });
  }

  announce(): void {
    this.#wakeListeners();
    this.#sendTimer ??= setTimeout(() => void this.#send(), GATHER_MS);
  }

  subscribe(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  readonly pauseMs = (intervalMs: number): number => {
    const isQuiet = performance.now() - this.#announcedAt > QUIET_MS;
    return isQuiet && this.#client ? Math.max(intervalMs, IDLE_INTERVAL_MS) : intervalMs;
  };

  async close(): Promise<void> {
    await this.#loop.stop();
    if (this.#sendTimer) await this.#send();
    await this.#client?.end();
  }

  #wakeListeners(): void {
    this.#announcedAt = performance.now();
    for (const wake of this.#listeners) wake();
  }

  async #send(): Promise<void> {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    // Without it, other processes find the work by their next look.
    await sql`select pg_notify(${CHANNEL}, ${this.#sender})`.execute(this.#database).catch(() => {});
  }

  async #checkClient(): Promise<void> {
    if (this.#client) {
      const client = this.#client;
      await client.query('select 1').catch(() => this.#lose(client));
    }
    this.#client ??= await this.#listen();
  }

  /** Undefined behind a connection pooler: it would give the connection that listens to others. */
  async #listen(): Promise<pg.Client | undefined> {
    const client = createClient(this.#address);
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ payload }) => {
      if (payload !== this.#sender) this.#wakeListeners();
    });
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      // A pooler makes up the id that it tells a client.
      const isPooled = !('processID' in client) || client.processID !== rows[0]?.pid;
      if (!isPooled) {
        await client.query(`listen ${CHANNEL}`);
        // Notices may have been missed.
        this.#wakeListeners();
        return client;
      }
    } catch {
      // Tried again at the next check.
    }
    await client.end().catch(() => {});
    return undefined;
  }

  #lose(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    client.end().catch(() => {});
  }
}
