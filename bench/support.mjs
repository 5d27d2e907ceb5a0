// Shared by the benchmarks: the service's parts in this process, a load generator in another, a filled database.

import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exampleArtifact } from '@provenance-registry/core';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { findFreePort } from '../chaos/supervisor.mjs';
import { openParts as openRegistryParts } from '../packages/server/dist/composition/parts.js';
import { httpOptions } from '../packages/server/dist/composition/registry.js';
import { loadConfig } from '../packages/server/dist/config/config.js';
import { pingDatabase } from '../packages/server/dist/database/connection.js';
import { startEmbeddedDatabase } from '../packages/server/dist/database/embedded/index.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { startSession } from '../packages/server/dist/domain/accounts/sessions.js';
import { buildServer } from '../packages/server/dist/http/server.js';
import { buildOrClose, CloserStack } from '../packages/server/dist/jobs/closers.js';

/** @typedef {import('../packages/server/dist/domain/ports/index.js').Ports} Ports */

const host = { logger: pino({ enabled: false }), notify: () => {}, onDatabaseLost: fail };

/** Starts a database server in a new folder; `remove` stops it and deletes the folder. */
export async function startDatabase() {
  const dataDir = await createFolder();
  const embedded = await startEmbeddedDatabase({ dataDir, notify: () => {}, onLost: fail });
  return {
    dataDir,
    address: embedded.address,
    async remove() {
      await embedded.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

export async function createFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  // The database's own user must reach it when this runs as root.
  await chmod(folder, 0o755);
  return folder;
}

/** Inserts a user with a Mark. @param {import('../packages/server/dist/database/connection.js').Database} database */
export async function insertMark(database) {
  const [userId, markId] = [randomUUID(), randomUUID()];
  await sql`insert into users (id, name) values (${userId}, 'Ada')`.execute(database);
  await sql`insert into marks (id, name, search_name, visibility, license, admin_id, owner_id)
    values (${markId}, 'Mark', 'mark', 'public', 'NONE_SPECIFIED', ${userId}, ${userId})`.execute(database);
  return { userId, markId };
}

/** Opens the service's parts in a new folder; `close` deletes it. @param {Record<string, string>} [settings] */
export async function openRegistry(settings) {
  const dataDir = await createFolder();
  const config = loadConfig({
    DATA_DIR: dataDir,
    BASE_URL: 'http://127.0.0.1',
    CHAIN_PORT: String(await findFreePort()),
    ...settings,
  });
  const closers = new CloserStack();
  closers.push(() => rm(dataDir, { recursive: true }));
  const parts = await buildOrClose(closers, () => openRegistryParts(config, host, closers));
  const { ports, databaseAddress: address } = parts;
  const { store } = ports;
  if (!('host' in address)) throw new Error('the database is not embedded');
  return {
    ports,
    address,
    dataDir,
    ping: () => pingDatabase(parts.database),
    /**
     * Starts a server with some parts replaced, and returns its URL.
     * @param {Partial<Ports>} [otherPorts]
     * @param {Partial<import('../packages/server/dist/http/server.js').HttpOptions>} [otherOptions]
     */
    async serve(otherPorts, otherOptions) {
      const server = buildServer({
        ...httpOptions(config, host, parts),
        ...otherOptions,
        ports: { ...ports, ...otherPorts },
      });
      closers.push(() => server.close());
      return server.listen({ host: '127.0.0.1', port: 0 });
    },
    /** A user without limits, with a token and a Mark. */
    async createUser() {
      const user = await store.users.insert({
        id: randomUUID(),
        email: 'bench@example.com',
        name: 'Ada Lovelace',
        passwordHash: 'none',
      });
      if (!user) throw new Error('no user');
      await store.users.setTier(user.id, 'enterprise');
      const markId = randomUUID();
      await store.marks.insert({
        id: markId,
        name: 'Ada Lovelace Photography',
        visibility: 'public',
        license: 'CC-BY-4.0',
        allowAiTraining: false,
        aiPreferences: null,
        adminId: user.id,
        owner: { userId: user.id },
      });
      const origin = { address: '127.0.0.1', userAgent: 'bench' };
      const { token } = await startSession(ports, store, user, { tokensNotBefore: null, origin });
      return { user, markId, token };
    },
    close: () => closers.close(),
  };
}

/**
 * Sends requests from another process. Returns their rate per second and count, and this process's CPU time for each.
 * @param {string} url
 * @param {{ connections: number, seconds: number, token?: string, body?: object }} options
 */
export async function generateLoad(url, { connections, seconds, token = '', body }) {
  const program = fileURLToPath(new URL('./load.mjs', import.meta.url));
  const args = [program, url, token, String(connections), String(seconds), ...(body ? [JSON.stringify(body)] : [])];
  const before = process.cpuUsage();
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { user, system } = process.cpuUsage(before);
  const [rate = 0, count = 0] = stdout.split(' ').map(Number);
  return { rate, count, cpuMs: (user + system) / 1000 / count };
}

/**
 * Creates a database with that many Artifacts; the fingerprint of each is the SHA-256 of its number.
 * @param {import('../packages/server/dist/database/connection.js').ServerAddress} server
 * @param {string} name
 * @param {number} count
 */
export async function createFilledDatabase(server, name, count) {
  await runSql(server, `create database ${name}`);
  const address = { ...server, database: name };
  await migrateToLatest(address);
  await runSql(
    address,
    // Without foreign key checks: the rows refer to nothing.
    `set session_replication_role = replica;
    insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 2, sha256(number::text::bytea), sha256('x'), '${JSON.stringify(exampleArtifact.metadata)}'
    from generate_series(1, ${count}) number`,
  );
  await runSql(address, 'vacuum analyze artifacts');
  await runSql(address, 'checkpoint');
  return address;
}

/**
 * Adds entries that others wrote on chain, for the SHA-256 of each of these numbers, and makes the mirror fresh.
 * @param {import('../packages/server/dist/database/connection.js').ServerAddress} address
 * @param {number} from
 * @param {number} to
 */
export async function fillMirror(address, from, to) {
  await runSql(
    address,
    `insert into chain_entries
       (fingerprint, source, manifest_id, manifest_hash, registered_by, endpoints, block_number, log_index, registered_at)
     select sha256(number::text::bytea), 2, gen_random_uuid()::text, sha256('x'), substring(sha256('y') for 20),
       '{https://other.example/api/c2pa}', number, 0, now()
     from generate_series(${from}, ${to}) number;
     insert into chain_mirror (chain_id, registry, first_block, mirrored_block, head_block, checked_at, counted_block)
     values (1, substring(sha256('y') for 20), 0, 0, 0, now() + interval '1 day', 0)`,
  );
  await runSql(address, 'vacuum analyze chain_entries');
}

/** @param {import('../packages/server/dist/database/connection.js').DatabaseAddress} address @param {string} sql */
export async function runSql(address, sql) {
  const client = new pg.Client(address);
  await client.connect();
  await client.query(sql);
  await client.end();
}

/**
 * Requests the creation of Artifacts.
 * @param {string} url
 * @param {{ connections: number, seconds: number, token: string, markId: string }} options
 */
export function generateCreations(url, { markId, ...options }) {
  return generateLoad(url, { ...options, body: { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' } });
}

/** Looks up random numbers of that range. @param {string} baseUrl @param {number} from @param {number} to */
export function lookupUrl(baseUrl, from, to) {
  return `${baseUrl}/api/c2pa/matches/byBinding?alg=com.service.sha256&value={value ${from} ${to}}`;
}

/**
 * Measures all variants in alternating rounds, so that other load on the machine affects them alike.
 * @template {string} Name
 * @template {string} Field
 * @param {number} count
 * @param {Record<Name, () => Promise<Record<Field, number>>>} variants
 */
export async function measureRounds(count, variants) {
  const names = /** @type {Name[]} */ (Object.keys(variants));
  /** @type {Map<Name, Record<Field, number>[]>} */
  const results = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    for (const name of names) results.get(name)?.push(await variants[name]());
  }
  /** @param {Name} name @param {Field} field */
  const valuesOf = (name, field) => (results.get(name) ?? []).map((result) => result[field]);
  return {
    /** @param {Name} name @param {Field} field */
    median: (name, field) => median(valuesOf(name, field)),
    /** The median of the ratios of the rounds. @param {Name} one @param {Name} other @param {Field} field */
    ratio(one, other, field) {
      const others = valuesOf(other, field);
      return median(valuesOf(one, field).map((value, round) => value / (others[round] ?? 0)));
    },
  };
}

/** @param {string} path @param {number} megabytes */
export async function writeRandomFile(path, megabytes) {
  const file = await open(path, 'w');
  for (let written = 0; written < megabytes; written += 1) await file.write(randomBytes(1024 * 1024));
  await file.close();
}

/** The memory of a process: now, or at its peak. @param {number | undefined} pid @param {'VmRSS' | 'VmHWM'} what */
export async function readMegabytes(pid, what) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** @param {number[]} values */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {unknown} reason */
export function fail(reason) {
  throw reason;
}
