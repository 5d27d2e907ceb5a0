// Starts the real service as a process. Every test that needs a service uses this file.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';
import { findServer, stopServer } from '../../packages/server/src/database/embedded/server.js';
import { freePort } from './ports.js';
import { createMigratedDatabase } from './postgres.js';

export interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything written so far to standard output (the log) and standard error. */
  output(): { log: string; messages: string };
  /** Stops the process; resolves with its exit code, null if a signal killed it. */
  end(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
  readonly body: any;
}

type Environment = Record<string, string>;

const main = fileURLToPath(new URL('../../packages/server/bundle/main.js', import.meta.url));
const quickPasswords = fileURLToPath(new URL('./quickPasswords.cjs', import.meta.url));

/** Stopped and removed when the test file ends. */
const started: (() => Promise<unknown>)[] = [];
const folders: string[] = [];
afterAll(async () => {
  await Promise.all(started.map((end) => end()));
  for (const folder of folders) await removeFolder(folder);
});

/** Starts a service on a new database of the shared PostgreSQL server. */
export async function startService(environment: Environment = {}): Promise<Service> {
  const DATABASE_URL = environment['DATABASE_URL'] ?? (await createMigratedDatabase());
  const DATA_DIR = environment['DATA_DIR'] ?? (await newDataFolder());
  return waitUntilReady(await launchService({ ...environment, DATABASE_URL, DATA_DIR }));
}

/** With the key for certificates of all tests. */
export async function newDataFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'document-key.pem'), inject('documentKey'), { mode: 0o600 });
  return folder;
}

/** Starts a service with its embedded database in that data folder. */
export async function startEmbeddedService(dataDir: string, environment: Environment = {}): Promise<Service> {
  return waitUntilReady(await launchService({ ...environment, DATA_DIR: dataDir }));
}

/** Starts the process without waiting until it is ready. */
export async function launchService(environment: Environment, args: string[] = []): Promise<Service> {
  const port = environment['PORT'] ?? String(await freePort());
  const chainPort = environment['CHAIN_PORT'] ?? String(await freePort());
  const child = spawn(process.execPath, ['--require', quickPasswords, main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', PORT: port, CHAIN_PORT: chainPort, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { log: '', messages: '' };
  child.stdout.on('data', (chunk) => {
    written.log += chunk;
  });
  child.stderr.on('data', (chunk) => {
    written.messages += chunk;
  });
  async function end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGTERM') {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'close');
      child.kill(signal);
      await ended;
    }
    return child.exitCode;
  }
  started.push(end);
  return { url: `http://127.0.0.1:${port}`, process: child, output: () => ({ ...written }), end };
}

export async function waitUntilReady(service: Service): Promise<Service> {
  const { stderr } = service.process;
  if (!stderr) throw new Error('the service has no standard error');
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (service.output().messages.includes('is ready')) resolve();
    };
    stderr.on('data', check);
    check();
    service.process.once('close', () => reject(new Error(`the service stopped: ${service.output().messages}`)));
  });
  return service;
}

/** Resolves when the service's log contains that text. */
export function waitForLog(service: Service, text: string): Promise<void> {
  const { stdout } = service.process;
  if (!stdout) throw new Error('the service has no standard output');
  return new Promise((resolve) => {
    const check = () => {
      if (!service.output().log.includes(text)) return;
      stdout.off('data', check);
      resolve();
    };
    stdout.on('data', check);
    check();
  });
}

export async function call(
  service: Pick<Service, 'url'>,
  method: string,
  path: string,
  { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<TestResponse> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}

let userCount = 0;

/** Creates an account. */
export async function signUp(service: Pick<Service, 'url'>, fields: Record<string, unknown> = {}) {
  userCount += 1;
  const account = {
    email: `person-${process.pid}-${userCount}@example.com`,
    password: 'correct horse battery',
    name: `Person ${userCount}`,
    ...fields,
  };
  const response = await call(service, 'POST', '/api/v1/auth/signup', { body: account });
  return { ...account, response, token: String(response.body.token), id: String(response.body.user?.id) };
}

export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'registry-test-'));
  folders.unshift(folder);
  return folder;
}

/** Also stops the embedded database's server and removes its folder, which may be elsewhere. */
async function removeFolder(dataDir: string): Promise<void> {
  const link = join(dataDir, 'postgresql');
  const folder = await readlink(link).catch(() => link);
  const server = await findServer({ folder, user: undefined });
  if (server) await stopServer(server);
  await rm(folder, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
