// Fixtures for tests of `register`: users with a Mark and files, and a proxy that records requests and injects faults.

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient, type RegistryClient } from '@provenance-registry/client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, expect } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { randomUUID } from '../../../../test/support/random.js';
import { Machine } from './machine.js';

const RunReport = Type.Object({
  mark: Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }),
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      outcome: Type.String(),
      fingerprint: Type.Optional(Type.String()),
      status: Type.Optional(Type.String()),
      mark: Type.Optional(Type.String()),
      reason: Type.Optional(Type.String()),
    }),
  ),
  summary: Type.Record(Type.String(), Type.Integer()),
  log: Type.Union([Type.Null(), Type.Object({ fingerprint: Type.String(), status: Type.String() })]),
  stopped: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String() })]),
});

export type RegisterResult = Static<typeof RunReport> & { readonly code: number | null };

/** A user with an account, a Mark and a machine. */
export class Registrant {
  private constructor(
    readonly client: RegistryClient,
    readonly token: string,
    readonly markId: string,
    readonly machine: Machine,
  ) {}

  static async create(url: string, tier: 'free' | 'enterprise' = 'enterprise'): Promise<Registrant> {
    const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', name: 'Ada' };
    const { token } = await createClient({ baseUrl: url }).signUp(account);
    const client = createClient({ baseUrl: url, credential: token });
    if (tier !== 'free') await client.putSubscription({ tier });
    const { id } = await client.createMark({ name: 'Photos' });
    const machine = await Machine.create({ PROVENANCE_URL: url, PROVENANCE_TOKEN: token });
    return new Registrant(client, token, id, machine);
  }

  /** The same user and machine with another URL of the service. */
  via(url: string): Registrant {
    return new Registrant(this.client, this.token, this.markId, this.machine.with({ PROVENANCE_URL: url }));
  }

  /** Creates a folder with this many files of unique content. */
  async createFolder(name: string, count: number): Promise<string> {
    await mkdir(join(this.machine.home, name), { recursive: true });
    for (let file = 1; file <= count; file += 1) {
      await writeFile(join(this.machine.home, name, `${String(file).padStart(3, '0')}.txt`), `${name} ${randomUUID()}`);
    }
    return name;
  }

  async register(...args: readonly string[]): Promise<RegisterResult> {
    const { code, result } = await this.machine.json(['register', ...args]);
    if (!Value.Check(RunReport, result)) throw new Error(`not a result of register: ${JSON.stringify(result)}`);
    return { code, ...result };
  }
}

export function outcomesByPath({ files }: RegisterResult): Record<string, string> {
  return Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
}

/**
 * `drop-request`: the request does not reach the service. `drop-response`: it does, but its response is lost. `hold`: the
 * request is held back until `release`. A number is the status of a refusal.
 */
export type Fault = 'none' | 'drop-request' | 'drop-response' | 'hold' | keyof typeof refusalCodes;

const refusalCodes = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 503: 'UNAVAILABLE' } as const;

export interface Creation {
  readonly fingerprint: string;
  readonly key: string;
  /** Of the service's response, once it is received. */
  status?: number;
}

const BATCH_PATH = '/api/v1/artifacts/batch';
const BatchBody = Type.Object({
  artifacts: Type.Array(Type.Object({ fingerprint: Type.String(), idempotencyKey: Type.String() })),
});
const BatchResults = Type.Object({ results: Type.Array(Type.Object({ status: Type.Integer() })) });

const closers: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

/** A proxy in front of the service, which has no batches then: each request has one file. */
export class FaultyProxy {
  readonly creations: Creation[] = [];
  /** By default, it is a service of an earlier version. */
  acceptsBatches = false;
  /** Files in each batch. */
  readonly batches: number[] = [];
  decideFault: (creation: Creation) => Fault | Promise<Fault> = () => 'none';
  /** Forwards the requests that are held back. */
  release: () => void = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  #listeners = new Set<() => void>();
  readonly #server = createServer((incoming, response) => {
    this.#handle(incoming, response).catch(() => response.destroy());
  });

  private constructor(
    private readonly target: string,
    private readonly port: number,
  ) {}

  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target, await freePort());
    await proxy.reopen();
    closers.push(() => proxy.close());
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async reopen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Refuses new connections and breaks the existing ones. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  waitUntil(isReached: (creations: readonly Creation[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!isReached(this.creations)) return;
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
    });
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    if (incoming.url === BATCH_PATH && !this.acceptsBatches) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'Unknown route.', code: 'NOT_FOUND' }));
      return;
    }
    if (incoming.url === BATCH_PATH) return this.#handleBatch(incoming, body, response);
    const creation = incoming.method === 'POST' ? parseCreation(incoming, body) : undefined;
    if (creation) this.creations.push(creation);
    this.#notify();
    const fault = creation ? await this.decideFault(creation) : 'none';
    if (fault === 'hold') await this.#released;
    if (fault === 'drop-request') return void response.destroy();
    if (typeof fault === 'number') {
      response.writeHead(fault, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'Not now.', code: refusalCodes[fault] }));
      return;
    }
    const forwarded = await this.#forward(incoming, body);
    if (creation) creation.status = forwarded.status;
    this.#notify();
    if (fault === 'drop-response') return void response.destroy();
    response.writeHead(forwarded.status, { 'content-type': forwarded.type }).end(forwarded.body);
  }

  /** A fault of one of its files is one of the whole batch. */
  async #handleBatch(incoming: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const { artifacts } = Value.Parse(BatchBody, JSON.parse(body));
    const batch = artifacts.map(({ fingerprint, idempotencyKey: key }): Creation => ({ fingerprint, key }));
    this.batches.push(batch.length);
    this.creations.push(...batch);
    this.#notify();
    const faults = await Promise.all(batch.map((creation) => this.decideFault(creation)));
    const fault = faults.find((one) => one !== 'none');
    if (fault === 'hold') await this.#released;
    if (fault === 'drop-request') return void response.destroy();
    const forwarded = await this.#forward(incoming, body);
    const { results } = Value.Parse(BatchResults, JSON.parse(forwarded.body));
    for (const [index, { status }] of results.entries()) Object.assign(batch[index] ?? {}, { status });
    this.#notify();
    if (fault === 'drop-response') return void response.destroy();
    response.writeHead(forwarded.status, { 'content-type': forwarded.type }).end(forwarded.body);
  }

  async #forward({ method, url, headers }: IncomingMessage, body: string) {
    const outgoing = request(this.target + url, { method, headers });
    outgoing.end(body);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (!response) throw new Error('no response');
    return {
      status: response.statusCode ?? 0,
      type: response.headers['content-type'] ?? '',
      body: await text(response),
    };
  }

  #notify(): void {
    for (const check of this.#listeners) check();
  }
}

/** All requests for a fingerprint have the same idempotency key. */
export function expectOneKeyEach(creations: readonly Creation[]): void {
  const keys = new Set(creations.map(({ fingerprint, key }) => `${fingerprint} ${key}`));
  expect(keys.size).toBe(new Set(creations.map(({ fingerprint }) => fingerprint)).size);
}

/** All that the service has under the Mark. */
export async function countArtifacts({ client, markId }: Registrant): Promise<number> {
  let [count, cursor]: [number, string | undefined] = [0, undefined];
  do {
    const page: Awaited<ReturnType<typeof client.listArtifacts>> = await client.listArtifacts({
      markId,
      limit: 200,
      cursor,
    });
    count += page.artifacts.length;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return count;
}

function parseCreation({ headers }: IncomingMessage, body: string): Creation {
  const { fingerprint } = Value.Parse(Type.Object({ fingerprint: Type.String() }), JSON.parse(body));
  return { fingerprint, key: String(headers['idempotency-key']) };
}
