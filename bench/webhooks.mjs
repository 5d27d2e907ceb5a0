// From the commit of an event to its arrival at a receiver: 1,000 webhooks, 200 events a second, each for one webhook.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createWebhook } from '../packages/server/dist/domain/events/webhooks.js';
import { report } from './report.mjs';
import { openRegistry } from './support.mjs';

const WEBHOOKS = 1_000;
const EVENTS_PER_SECOND = 200;
const SECONDS = 20;
const TICK_MS = 50;
const DRAIN_MS = 20_000;

/** When each event was committed, by its number; removed when it arrives. @type {Map<number, number>} */
const committedAt = new Map();
let sent = 0;
/** @type {number[]} */
const latencies = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { type, data } = JSON.parse(body);
  if (type === 'webhook.challenge') {
    response.end(data.challenge);
    return;
  }
  response.writeHead(204).end();
  if (type !== 'account.sessions_ended') return;
  const number = Number(data.data.sessions);
  const committed = committedAt.get(number);
  // An event may arrive twice: the first arrival counts. One that arrives before its commit is known took no time.
  if (committed !== undefined) latencies.push(performance.now() - committed);
  else if (number >= sent) latencies.push(0);
  committedAt.delete(number);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`;

const registry = await openRegistry({ WEBHOOK_LOOPBACK: 'true' });
const { ports } = registry;
/** @type {string[]} */
const userIds = [];
for (let count = 0; count < WEBHOOKS; count += 1) {
  const id = randomUUID();
  const user = await ports.store.users.insert({ id, email: `${id}@example.com`, name: 'Ada', passwordHash: 'none' });
  if (!user) throw new Error('no user');
  await createWebhook(
    ports,
    { user, keyId: undefined, keyOrganizationId: undefined, keyScope: null, session: undefined },
    { url },
  );
  userIds.push(id);
}
// The first event of each is its creation.
await delay(3_000);

const end = performance.now() + SECONDS * 1_000;
for (let next = performance.now(); next < end; next += TICK_MS) {
  const batch = userIds.slice(sent % WEBHOOKS, (sent % WEBHOOKS) + (EVENTS_PER_SECOND * TICK_MS) / 1_000);
  await ports.store.events.append(
    ...batch.map((id, index) => ({
      type: /** @type {const} */ ('account.sessions_ended'),
      actorId: id,
      userId: id,
      data: { sessions: sent + index },
    })),
  );
  for (const index of batch.keys()) committedAt.set(sent + index, performance.now());
  sent += batch.length;
  await delay(Math.max(0, next + TICK_MS - performance.now()));
}
const deadline = performance.now() + DRAIN_MS;
while (latencies.length < sent && performance.now() < deadline) await delay(100);
const load = loadavg()[0] ?? 0;
await registry.close();
server.closeAllConnections();
server.close();

const sorted = latencies.toSorted((a, b) => a - b);
const at = (/** @type {number} */ share) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN) / 1_000;
report({
  what: `webhooks: ${sent} events, each for one of ${WEBHOOKS} webhooks, from commit to arrival`,
  measured: `p50 ${at(0.5).toFixed(2)} s, p95 ${at(0.95).toFixed(2)} s, ${sent - sorted.length} lost, load ${load.toFixed(1)}`,
  value: at(0.95),
  target: ['at most', 2],
});
process.exit(sorted.length === sent ? 0 : 1);
