// Starts the real service, as a process, the way people do. Nobody writes a second one of these.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';
import { findServer, stopServer } from '../../src/database/embedded/server.js';
import { freePort } from './ports.js';
import { createDatabase } from './postgres.js';

export interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything that it has written so far. */
  output(): { log: string; messages: string };
  /** Ends it with that signal; answers with its exit code, null when it was killed. */
  end(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
  readonly body: any;
}

type Environment = Record<string, string>;

const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));

/** What a test file started and made; gone when the file is through. */
const started: (() => Promise<unknown>)[] = [];
const folders: string[] = [];
afterAll(async () => {
  await Promise.all(started.map((end) => end()));
  for (const folder of folders) await removeFolder(folder);
});

/** A service on a database of its own, on the tests' PostgreSQL server. */
export async function startService(environment: Environment = {}): Promise<Service> {
  const DATABASE_URL = environment['DATABASE_URL'] ?? (await createDatabase(inject('postgresUrl')));
  const DATA_DIR = environment['DATA_DIR'] ?? (await temporaryFolder());
  return untilReady(await launch({ ...environment, DATABASE_URL, DATA_DIR }));
}

/** A service on its embedded default, in that data folder. */
export async function startEmbedded(dataDir: string, environment: Environment = {}): Promise<Service> {
  return untilReady(await launch({ ...environment, DATA_DIR: dataDir }));
}

/** The process, whether or not it gets ready. */
export async function launch(environment: Environment, args: string[] = []): Promise<Service> {
  const port = environment['PORT'] ?? String(await freePort());
  const chainPort = environment['CHAIN_PORT'] ?? String(await freePort());
  const child = spawn(process.execPath, [main, ...args], {
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

export async function untilReady(service: Service): Promise<Service> {
  const { stderr } = service.process;
  if (!stderr) throw new Error('the service has no standard error');
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (service.output().messages.includes('is ready')) resolve();
    };
    stderr.on('data', look);
    look();
    service.process.once('close', () => reject(new Error(`the service stopped: ${service.output().messages}`)));
  });
  return service;
}

export async function call(
  service: Pick<Service, 'url'>,
  method: string,
  path: string,
  { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
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

let people = 0;

/** A new account. */
export async function signUp(service: Pick<Service, 'url'>, fields: Record<string, unknown> = {}) {
  people += 1;
  const account = {
    email: `person-${process.pid}-${people}@example.com`,
    password: 'correct horse battery',
    name: `Person ${people}`,
    ...fields,
  };
  const answer = await call(service, 'POST', '/api/v1/auth/signup', { body: account });
  return { ...account, answer, token: String(answer.body.token), id: String(answer.body.user?.id) };
}

export async function temporaryFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'registry-test-'));
  folders.unshift(folder);
  return folder;
}

/** With the embedded database's server and folder, wherever they are. */
async function removeFolder(dataDir: string): Promise<void> {
  const link = join(dataDir, 'postgresql');
  const folder = await readlink(link).catch(() => link);
  const server = await findServer({ folder, user: undefined });
  if (server) await stopServer(server);
  await rm(folder, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
