// The connection pool, and the one place where the driver's failures become the service's own error.

import { RegistryError } from '@provenance-registry/core';
import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import pg from 'pg';
import type { Tables } from './schema.js';

export type DatabaseAddress = { readonly connectionString: string } | ServerAddress;

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A process is bound by one core: ten connections keep PostgreSQL busy, more would only queue there. */
const MAX_CONNECTIONS = 10;
/** Both for opening a connection and for waiting until one is free: a caller should not wait longer for a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours takes a tenth of this; what does is stuck. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** So much later than the server's own limit, for a server that no longer answers at all. */
const ANSWER_LATER_MS = 2_000;
/** A transaction whose process stopped in the middle must not keep its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/**
 * Where a list is asked for, PostgreSQL would plan anew for each length of it, which takes longer than the answer: all our
 * questions are for what an index knows, however many they are.
 */
const PLANNED_ONCE = '-c plan_cache_mode=force_generic_plan';

export type Database = Kysely<Tables>;

/** `statementMs`: for work that reads whole tables. */
export function openDatabase(address: DatabaseAddress, statementMs = STATEMENT_TIMEOUT_MS): Database {
  const pool = new pg.Pool({
    ...address,
    application_name: 'provenance-registry',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + ANSWER_LATER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    options: PLANNED_ONCE,
  });
  // A connection that breaks, idle or in use, is replaced; without listeners it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new TranslatingPool(pool) }) });
}

/** Throws UNAVAILABLE when the database does not answer. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.selectNoFrom((expression) => expression.val(1).as('one')).execute();
}

class TranslatingPool implements PostgresPool {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new TranslatingClient(await this.#pool.connect());
    } catch (error) {
      throw translate(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

class TranslatingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  #broken = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  query<R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: ReadonlyArray<unknown> = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new TypeError('cursors are not used');
    return this.#run<R>(sql, parameters);
  }

  release(): void {
    // A connection that failed may still be waiting for its answer: the next user must not get it.
    this.#client.release(this.#broken);
  }

  async #run<R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query(prepared(sql, parameters));
      return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows };
    } catch (error) {
      const translated = translate(error);
      this.#broken = translated instanceof RegistryError;
      throw translated;
    }
  }
}

/** Statements by their text. A statement with a name is parsed and planned once a connection, not once a call. */
const names = new Map<string, string>();
/** The queries of this service are far fewer; texts that are made up anew each time would fill the server's memory. */
const MAX_NAMES = 500;

function prepared(text: string, parameters: ReadonlyArray<unknown>): pg.QueryConfig {
  // Without parameters a text may hold several statements, as migrations do; those cannot be prepared.
  if (parameters.length === 0) return { text };
  if (!names.has(text) && names.size < MAX_NAMES) names.set(text, `statement_${names.size}`);
  const name = names.get(text);
  return { text, values: [...parameters], ...(name && { name }) };
}

/**
 * Server-side conditions that pass: connection trouble, no resources, shutting down, timeouts, a read-only standby,
 * and a prepared statement that a migration has outdated (0A000), which a new connection prepares anew.
 */
const PASSING_CONDITIONS = /^(08|53|57P|57014|55P03|58|25006|25P03|0A000)/;

function translate(error: unknown): unknown {
  const passing =
    error instanceof pg.DatabaseError
      ? PASSING_CONDITIONS.test(error.code ?? '')
      : error instanceof Error && !(error instanceof TypeError);
  return passing
    ? new RegistryError('UNAVAILABLE', 'The database cannot be reached right now.', { cause: error })
    : error;
}
