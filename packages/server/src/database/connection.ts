// The connection pool, and the translation of the driver's failures into the service's own error.

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
  /** Undefined where the operating system decides who may connect. */
  readonly password: string | undefined;
}

/** A process is bound by one core: ten connections keep PostgreSQL busy, more would only queue there. */
const MAX_CONNECTIONS = 10;
/** Timeout of opening a connection and of waiting until one is free: a client should not wait longer for a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of the service takes a tenth of this. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** The client gives up this much later than the server, in case the server no longer responds. */
const CLIENT_TIMEOUT_MARGIN_MS = 2_000;
/** A transaction whose process stopped in the middle must not keep its locks. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/**
 * A generic plan: otherwise PostgreSQL plans a query with an array again for each length of the array, which takes longer
 * than the query itself; all queries of the service use an index, whatever the length. And no compiler: it takes half a
 * second for a query of a few milliseconds as soon as a table is so large that the planner overestimates the query.
 */
const PLANNER_OPTIONS = '-c plan_cache_mode=force_generic_plan -c jit=off';

export type Database = Kysely<Tables>;

/** `statementMs`: a longer timeout, for queries that read whole tables. */
export function openDatabase(address: DatabaseAddress, statementMs = STATEMENT_TIMEOUT_MS): Database {
  const pool = new pg.Pool({ ...connectionOptions(address, statementMs), max: MAX_CONNECTIONS });
  // The pool replaces broken connections; without listeners their errors would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const translatingPool: PostgresPool = {
    connect: async () => new TranslatingClient(await pool.connect().catch(rethrowTranslated)),
    end: () => pool.end(),
  };
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: translatingPool }) });
  pools.set(database, pool);
  return database;
}

const pools = new WeakMap<Database, pg.Pool>();

export interface PoolUse {
  readonly max: number;
  readonly idle: number;
  readonly inUse: number;
  /** Requests for a connection that wait for one. */
  readonly waiting: number;
}

export function readPoolUse(database: Database): PoolUse {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pools.get(database) ?? {};
  return { max: MAX_CONNECTIONS, idle: idleCount, inUse: totalCount - idleCount, waiting: waitingCount };
}

function connectionOptions(address: DatabaseAddress, statementMs: number): pg.ClientConfig {
  return {
    ...address,
    application_name: 'provenance-registry',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + CLIENT_TIMEOUT_MARGIN_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    options: PLANNER_OPTIONS,
  };
}

/** A connection of its own, for what must stay on one. The caller listens to its errors. */
export function createClient(address: DatabaseAddress): pg.Client {
  return new pg.Client(connectionOptions(address, STATEMENT_TIMEOUT_MS));
}

/** Each execution may run on another connection of a pooler. */
const PREPARED_STATEMENT_ROUNDS = 5;
/** The statement exists already, or does not exist: it was prepared on a connection that another client has now. */
const LOST_STATEMENT_CODES = ['42P05', '26000'];

/**
 * Whether named statements stay usable, as they do on PostgreSQL itself. A pooler that gives each transaction another
 * connection must know them: PgBouncer does from version 1.21, with `max_prepared_statements`.
 */
export async function keepsPreparedStatements(address: DatabaseAddress): Promise<boolean> {
  const clients = [1, 2].map(() => createClient(address));
  for (const client of clients) client.on('error', () => {});
  try {
    for (const client of clients) await client.connect();
    for (let round = 0; round < PREPARED_STATEMENT_ROUNDS; round += 1) {
      // By turns: with PgBouncer, the second client gets the connection that the first one has just used.
      for (const client of clients) {
        await client.query({ name: 'provenance_registry_check', text: 'select $1::integer', values: [round] });
      }
    }
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && LOST_STATEMENT_CODES.includes(error.code ?? '')) return false;
    return rethrowTranslated(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

/** Throws UNAVAILABLE when the database does not respond. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.selectNoFrom((expression) => expression.val(1).as('one')).execute();
}

class TranslatingClient implements PostgresPoolClient {
  #broken = false;

  constructor(private readonly client: pg.PoolClient) {}

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
    // A failed connection may still receive a late result, which the next query must not get.
    this.client.release(this.#broken);
  }

  async #run<R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.client.query(prepareStatement(sql, parameters));
      return { command: command as PostgresQueryResult<R>['command'], rowCount: rowCount ?? 0, rows };
    } catch (error) {
      const translated = translateError(error);
      this.#broken = translated instanceof RegistryError;
      throw translated;
    }
  }
}

/** Names by statement text. A named statement is parsed and planned once for each connection, not for each call. */
const statementNames = new Map<string, string>();
/** Far more than the service has; generated statements without a limit would fill the server's memory. */
const MAX_NAMED_STATEMENTS = 500;

function prepareStatement(text: string, parameters: ReadonlyArray<unknown>): pg.QueryConfig {
  // A text without parameters may contain several statements, as migrations do; those cannot be prepared.
  if (parameters.length === 0) return { text };
  if (!statementNames.has(text) && statementNames.size < MAX_NAMED_STATEMENTS) {
    statementNames.set(text, `statement_${statementNames.size}`);
  }
  const name = statementNames.get(text);
  return { text, values: [...parameters], ...(name && { name }) };
}

/**
 * Transient conditions of the server: connection failures, insufficient resources, shutdown, timeouts, a read-only standby,
 * and a prepared statement that a migration has invalidated (0A000), which a new connection prepares again.
 */
const TRANSIENT_CODES = /^(08|53|57P|57014|55P03|58|25006|25P03|0A000)/;

function rethrowTranslated(error: unknown): never {
  throw translateError(error);
}

function translateError(error: unknown): unknown {
  const isTransient =
    error instanceof pg.DatabaseError
      ? TRANSIENT_CODES.test(error.code ?? '')
      : error instanceof Error && !(error instanceof TypeError);
  return isTransient
    ? new RegistryError('UNAVAILABLE', 'The database cannot be reached right now.', { cause: error })
    : error;
}
