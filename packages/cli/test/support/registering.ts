// What tests of `register` share: people with Marks, folders of new files, and a way to the service that counts what goes
// through it and fails as it is told.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient, type RegistryClient } from '@provenance-registry/client';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { Machine } from './provenance.js';

const Report = Type.Object({
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
  stopped: Type.Union([Type.Null(), Type.Object({ code: Type.String(), message: Type.String() })]),
});

export type Registered = Static<typeof Report> & { readonly code: number | null };

/** Somebody with an account, a Mark and a machine. */
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

  /** The same person and machine, by another way to the service. */
  by(url: string): Registrant {
    return new Registrant(this.client, this.token, this.markId, this.machine.with({ PROVENANCE_URL: url }));
  }

  async folder(name: string, count: number): Promise<string> {
    await mkdir(join(this.machine.home, name), { recursive: true });
    for (let file = 1; file <= count; file += 1) {
      await writeFile(join(this.machine.home, name, `${String(file).padStart(3, '0')}.txt`), `${name} ${randomUUID()}`);
    }
    return name;
  }

  async register(...args: readonly string[]): Promise<Registered> {
    const { code, answer } = await this.machine.json(['register', ...args]);
    if (!Value.Check(Report, answer)) throw new Error(`not the answer of register: ${JSON.stringify(answer)}`);
    return { code, ...answer };
  }
}

export function outcomes({ files }: Registered): Record<string, string> {
  return Object.fromEntries(files.map(({ path, outcome }) => [path, outcome]));
}

/** `cut`: nothing arrives. `lost`: it arrives, and the answer does not. `held`: it arrives nowhere until it is released. */
export type Fate = 'pass' | 'cut' | 'lost' | 'held' | keyof typeof refusals;

const refusals = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 503: 'UNAVAILABLE' } as const;

export interface Creation {
  readonly fingerprint: string;
  readonly key: string;
  /** Of the service's answer, once it has come back through here. */
  status?: number;
}

const opened: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(opened.map((close) => close())));

/** A way to the service. */
export class Way {
  readonly creations: Creation[] = [];
  /** What becomes of the next creation. */
  fate: (creation: Creation) => Fate = () => 'pass';
  /** Lets what was held go on. */
  release: () => void = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  #watchers = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    this.#pass(request, response).catch(() => response.destroy());
  });

  private constructor(
    private readonly target: string,
    private readonly port: number,
  ) {}

  static async open(target: string): Promise<Way> {
    const way = new Way(target, await freePort());
    await way.reopen();
    opened.push(() => way.close());
    return way;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async reopen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Nobody listens there any more, and all connections break. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Resolves when so many creations have come by, or when they are as they should be. */
  until(isSo: (creations: readonly Creation[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo(this.creations)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const creation = request.method === 'POST' ? creationOf(request, body) : undefined;
    if (creation) this.creations.push(creation);
    this.#tell();
    const fate = creation ? this.fate(creation) : 'pass';
    if (fate === 'held') await this.#released;
    if (fate === 'cut') return void response.destroy();
    if (typeof fate === 'number') {
      response.writeHead(fate, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'Not now.', code: refusals[fate] }));
      return;
    }
    const answer = await this.#forward(request, body);
    if (creation) creation.status = answer.status;
    this.#tell();
    if (fate === 'lost') return void response.destroy();
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  }

  async #forward({ method, url, headers }: IncomingMessage, body: string) {
    const forwarded = send(this.target + url, { method, headers });
    forwarded.end(body);
    const [answer]: IncomingMessage[] = await once(forwarded, 'response');
    if (!answer) throw new Error('no answer');
    return {
      status: answer.statusCode ?? 0,
      type: answer.headers['content-type'] ?? '',
      body: await text(answer),
    };
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }
}

function creationOf({ headers }: IncomingMessage, body: string): Creation {
  const { fingerprint } = Value.Parse(Type.Object({ fingerprint: Type.String() }), JSON.parse(body));
  return { fingerprint, key: String(headers['idempotency-key']) };
}
