// Webhooks in this process, on a real database, with a clock that tests move; and receivers that collect what is sent.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { startWebhooks } from '../../src/composition/background/webhooks.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { createStore } from '../../src/database/store.js';
import { createUseBuffers } from '../../src/database/useBuffer.js';
import type { Caller } from '../../src/domain/caller.js';
import type { NewEvent } from '../../src/domain/ports/index.js';
import { webhookSecrets } from '../../src/identity/derivedSecrets.js';
import { noNotices } from '../../src/jobs/workNotices.js';
import { createMailQueue } from '../../src/mail/mailQueue.js';
import { createWebhookTargets } from '../../src/webhooks/targets.js';

const Message = Type.Object({
  type: Type.String(),
  timestamp: Type.String(),
  data: Type.Object({ id: Type.String(), position: Type.String(), data: Type.Unknown() }),
});

const Challenge = Type.Object({
  type: Type.Literal('webhook.challenge'),
  timestamp: Type.String(),
  data: Type.Object({ webhookId: Type.String(), challenge: Type.String() }),
});

export interface ReceivedChallenge {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly webhookId: string;
  readonly challenge: string;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: Type.Static<typeof Message>;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Ids of the events in the order of their arrival. */
  eventIds(): string[];
  types(): string[];
  /** How many requests are being answered. */
  openRequests(): number;
  /** Answers each event; 204 by default. */
  answer: (response: ServerResponse, count: number) => void;
  readonly challenges: readonly ReceivedChallenge[];
  /** Answers each challenge; as it should, by default. */
  answerChallenge: (response: ServerResponse, received: ReceivedChallenge) => void;
}

const closers: (() => Promise<unknown> | unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const challenges: ReceivedChallenge[] = [];
  let open = 0;
  const receiver = {
    url: '',
    received,
    eventIds: () => received.map(({ message }) => message.data.id),
    types: () => received.map(({ message }) => message.type),
    openRequests: () => open,
    answer: (response: ServerResponse, _count: number) => void response.writeHead(204).end(),
    challenges,
    answerChallenge: (response: ServerResponse, { challenge }: ReceivedChallenge) =>
      void response.end(JSON.stringify({ challenge })),
  };
  const server = createServer(async (request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const message: unknown = JSON.parse(body);
    if (Value.Check(Challenge, message)) {
      const challenge = { headers: request.headers, body, ...message.data };
      challenges.push(challenge);
      receiver.answerChallenge(response, challenge);
      return;
    }
    received.push({ headers: request.headers, body, message: Value.Parse(Message, message) });
    receiver.answer(response, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  receiver.url = `http://127.0.0.1:${port}/hook`;
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

/** A database with one user, and the rules and workers of webhooks on it. */
export async function startWebhookTests() {
  const database: Database = openDatabase({ connectionString: await createMigratedDatabase() });
  closers.push(() => database.destroy());
  const uses = createUseBuffers(database);
  const store = createStore(database, uses);
  let now = new Date('2026-06-01T12:00:00Z');
  const targets = createWebhookTargets({ dnsServers: undefined, allowsLoopback: true });
  const ports = {
    store,
    clock: () => now,
    mail: createMailQueue({ isEnabled: true }),
    webhookSecrets: webhookSecrets('a secret for this test only, made up'),
    webhookTargets: targets,
  };

  async function createCaller(): Promise<Caller> {
    const id = randomUUID();
    const email = `${id}@example.com`;
    const user = await store.users.insert({ id, email, name: 'Ada', passwordHash: 'none' });
    if (!user) throw new Error('no user');
    await store.users.markEmailVerified(id);
    return { user, keyId: undefined, keyOrganizationId: undefined, keyScope: null, session: undefined };
  }

  /** Gives positions to all events. */
  async function order(): Promise<void> {
    while ((await store.feed.order(1_000)) > 0);
  }

  return {
    database,
    ports,
    createCaller,
    order,
    advance(ms: number) {
      now = new Date(now.getTime() + ms);
    },
    /** Events of the user, in the feed. Returns their ids. */
    async addEvents(userId: string, count: number, type: NewEvent['type'] = 'account.sessions_ended') {
      await store.events.append(...Array.from({ length: count }, () => ({ type, actorId: userId, userId })));
      await order();
      const rows = await database
        .selectFrom('events')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      return rows.slice(-count).map(({ id }) => id);
    },
    /** Returns the function that stops it. */
    startWorker(): () => Promise<void> {
      const close = startWebhooks(ports, {
        ...{ database, targets, notices: noNotices },
        logger: pino({ level: 'silent' }),
      });
      closers.push(close);
      return close;
    },
  };
}
