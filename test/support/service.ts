// Starts the real service, in the process of the test or as a process of its own. Every test that needs a service uses this
// file.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, inject } from 'vitest';
import { loadConfig } from '../../packages/server/src/config/config.js';
import type { ProcessClock } from '../../packages/server/src/database/clock.js';
import { findServer, stopServer } from '../../packages/server/src/database/embedded/server.js';
import { freePort } from './ports.js';
import { createMigratedDatabase } from './postgres.js';
import { deployOnWorkerChain, resetWorkerChain } from './workerChain.js';

export interface Service {
  readonly url: string;
  /** The log, and the messages for the operator, so far. */
  output(): Output;
  /** Calls the listener whenever there is more output, until the result is called. */
  onOutput(listener: () => void): () => void;
  /** Stops the service in order. */
  end(): Promise<unknown>;
}

export interface ServiceProcess extends Service {
  readonly process: ChildProcess;
  /** Resolves with the exit code, null if a signal killed the process. */
  end(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

interface Output {
  readonly log: string;
  readonly messages: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
  readonly body: any;
}

type Environment = Record<string, string>;

/** The bundle, as the service's own process runs it: loaded once for all files of a worker. */
const registryModule = new URL('../../packages/server/bundle/registry.js', import.meta.url).href;
const main = fileURLToPath(new URL('../../packages/server/bundle/main.js', import.meta.url));
const quickPasswords = fileURLToPath(new URL('./quickPasswords.cjs', import.meta.url));
const { setQuickPasswords }: { setQuickPasswords(isQuick: boolean): void } = createRequire(import.meta.url)(
  quickPasswords,
);

/** Read by Node or a preloaded module, and not by the service. */
const processVariables = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'SCRYPT_COST', 'TMPDIR'];

/** Stopped and removed when the test file ends. */
const started: (() => Promise<unknown>)[] = [];
const folders: string[] = [];
afterAll(async () => {
  await Promise.all(started.map((end) => end()));
  await resetWorkerChain();
  setQuickPasswords(false);
  for (const folder of folders) await removeFolder(folder);
});

/**
 * Starts the service in this process, on a new database of the shared PostgreSQL server and with a contract on the chain of
 * this worker. The environment's settings replace these. `clock`: that of the process.
 */
export async function startService(environment: Environment = {}, clock?: ProcessClock): Promise<Service> {
  const ofProcesses = Object.keys(environment).filter((name) => processVariables.includes(name));
  if (ofProcesses.length > 0) throw new Error(`${ofProcesses.join(', ')}: use startServiceProcess`);
  const service = await openService(await addWorkerChain(await completeSettings(environment)), clock);
  started.push(service.end);
  return service;
}

/** Why the service refuses to start, in this process. */
export async function findStartProblems(environment: Environment): Promise<readonly string[]> {
  const settings = { PORT: String(await freePort()), ...(await completeSettings(environment)) };
  try {
    await (await openService(settings)).end();
  } catch (error) {
    // Of the bundle, which has a ConfigError of its own.
    if (error instanceof Error && error.name === 'ConfigError') return error.message.split('\n');
    throw error;
  }
  return [];
}

/** The settings with those of a contract on the chain of this worker, unless they name another chain, and with a port. */
export async function addWorkerChain(settings: Environment): Promise<Environment & { readonly PORT: string }> {
  const PORT = settings['PORT'] ?? String(await freePort());
  if ('RPC_URL' in settings || 'CHAIN_PORT' in settings) return { ...settings, PORT };
  const baseUrl = settings['BASE_URL'] ?? urlOf({ PORT });
  return { ...settings, PORT, ...(await deployOnWorkerChain(settings['DATABASE_URL'] ?? '', baseUrl)) };
}

/** Starts the service as a process with a development chain of its own, which can be killed. */
export async function startServiceProcess(environment: Environment = {}): Promise<ServiceProcess> {
  return waitUntilReady(await launchService(await completeSettings(environment)));
}

async function completeSettings(environment: Environment): Promise<Environment> {
  return {
    ...environment,
    DATABASE_URL: environment['DATABASE_URL'] ?? (await createMigratedDatabase()),
    DATA_DIR: environment['DATA_DIR'] ?? (await newDataFolder()),
  };
}

function urlOf({ PORT }: { readonly PORT: string }): string {
  return `http://127.0.0.1:${PORT}`;
}

async function openService(settings: Environment & { readonly PORT: string }, clock?: ProcessClock): Promise<Service> {
  setQuickPasswords(true);
  const recorder = new OutputRecorder();
  const logger = pino({ base: null, level: settings['LOG_LEVEL'] ?? 'info' }, { write: recorder.addLog });
  const { openRegistry }: typeof import('../../packages/server/src/composition/registry.js') = await import(
    registryModule
  );
  const stop = { requested: new AbortController(), hurried: new AbortController() };
  const registry = await openRegistry(loadConfig(settings), {
    logger,
    notify: (message) => recorder.addMessage(`${message}\n`),
    onDatabaseLost: (reason) => recorder.addMessage(`${reason}\n`),
    stop: { requested: stop.requested.signal, hurried: stop.hurried.signal },
    ...(clock && { clock }),
  });
  await registry.listen();
  return { url: urlOf(settings), output: recorder.read, onOutput: recorder.listen, end: () => registry.close() };
}

/** What a service has written. */
class OutputRecorder {
  #log = '';
  #messages = '';
  readonly #listeners = new Set<() => void>();

  readonly addLog = (text: string): void => {
    this.#log += text;
    for (const listener of [...this.#listeners]) listener();
  };

  readonly addMessage = (text: string): void => {
    this.#messages += text;
    for (const listener of [...this.#listeners]) listener();
  };

  readonly read = (): Output => ({ log: this.#log, messages: this.#messages });

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** Creates a data folder with the key for certificates of all tests. */
export async function newDataFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'document-key.pem'), inject('documentKey'), { mode: 0o600 });
  return folder;
}

/** Starts a service with its embedded database in that data folder. */
export async function startEmbeddedService(dataDir: string, environment: Environment = {}): Promise<ServiceProcess> {
  return waitUntilReady(await launchService({ ...environment, DATA_DIR: dataDir }));
}

/** Starts the process without waiting until it is ready. */
export async function launchService(environment: Environment, args: string[] = []): Promise<ServiceProcess> {
  const port = environment['PORT'] ?? String(await freePort());
  const chainPort = environment['CHAIN_PORT'] ?? String(await freePort());
  const child = spawn(process.execPath, ['--require', quickPasswords, main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', PORT: port, CHAIN_PORT: chainPort, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const recorder = new OutputRecorder();
  child.stdout.setEncoding('utf8').on('data', recorder.addLog);
  child.stderr.setEncoding('utf8').on('data', recorder.addMessage);
  async function end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGTERM') {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'close');
      child.kill(signal);
      await ended;
    }
    return child.exitCode;
  }
  started.push(end);
  return { url: urlOf({ PORT: port }), process: child, output: recorder.read, onOutput: recorder.listen, end };
}

export async function waitUntilReady(service: ServiceProcess): Promise<ServiceProcess> {
  await new Promise<void>((resolve, reject) => {
    void waitForOutput(service, ({ messages }) => messages.includes('is ready')).then(resolve);
    service.process.once('close', () => reject(new Error(`the service stopped: ${service.output().messages}`)));
  });
  return service;
}

/** Resolves when the service's log contains that text. */
export function waitForLog(service: Service, text: string): Promise<void> {
  return waitForOutput(service, ({ log }) => log.includes(text));
}

function waitForOutput(service: Service, isThere: (output: Output) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isThere(service.output())) return;
      stopListening();
      resolve();
    };
    const stopListening = service.onOutput(check);
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
  const server = await findServer({ folder });
  if (server) await stopServer({ folder }, server);
  await rm(folder, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
