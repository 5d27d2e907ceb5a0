// Follows the events of accounts in two ways during the faults: webhooks that arrive at a server here, and a reader of the
// feed. In the end, both must have every event once they are counted by id, in the order of the feed, and the feed those of every
// Artifact that a client was told of.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@provenance-registry/client';

/** @typedef {import('./clients.mjs').Account} Account */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */
/** @typedef {Pick<import('@provenance-registry/core').FeedEvent, 'id' | 'position' | 'type' | 'data'>} FeedEvent */

/**
 * Deliveries are stuck when none has arrived for this long. On an idle machine a killed worker's lease ends after a minute,
 * and a failed attempt is repeated within two.
 */
const STUCK_AFTER_MS = 900_000;
const PAGE_SIZE = 200;
const POLL_MS = 500;

/** Creates a webhook for each account, before the faults begin. @param {string} url @param {readonly Account[]} accounts */
export async function startFollowers(url, accounts) {
  /** By account, as they arrived. @type {Map<string, FeedEvent[]>} */
  const arrived = new Map(accounts.map(({ name }) => [name, []]));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { type, data } = JSON.parse(body);
    if (type === 'webhook.challenge') return response.end(data.challenge);
    arrived.get(String(request.url).slice(1))?.push(data);
    return response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  for (const account of accounts) {
    const client = createClient({ baseUrl: url, credential: account.credential });
    await client.createWebhook({ url: `http://127.0.0.1:${port}/${account.name}` });
  }

  /** One page. @param {Account} account @param {string} after */
  const readPage = ({ credential }, after) =>
    createClient({ baseUrl: url, credential }).listEvents({ after, limit: PAGE_SIZE });

  const stop = new AbortController();
  /** What readers of the feed have read, by account. @type {Map<string, FeedEvent[]>} */
  const read = new Map(accounts.map(({ name }) => [name, []]));
  const readers = accounts.map(async (account) => {
    let after = '0';
    while (!stop.signal.aborted) {
      const page = await readPage(account, after).catch(() => undefined);
      read.get(account.name)?.push(...(page?.events ?? []));
      after = page?.next ?? after;
      if (!page || page.events.length < PAGE_SIZE)
        await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  });

  /** Everything in the feed of the account. @param {Account} account */
  async function readAll(account) {
    /** @type {FeedEvent[]} */
    const events = [];
    for (let after = '0'; ; ) {
      const page = await readPage(account, after);
      events.push(...page.events);
      if (page.next === after) return events;
      after = page.next;
    }
  }

  return {
    /** Waits until everything has arrived, and records what is missing or out of order. @param {Ledger} ledger */
    async check(ledger) {
      let count = 0;
      for (const account of accounts) {
        const { name } = account;
        const events = await readAll(account);
        requireOutcomes(ledger, account, events);
        const expected = events.map(({ id }) => id);
        const last = expected.at(-1);
        const hasAll = () => [arrived, read].every((lists) => lists.get(name)?.some(({ id }) => id === last));
        const countArrivals = () => [arrived, read].flatMap((lists) => lists.get(name) ?? []).length;
        let [before, changedAt] = [countArrivals(), Date.now()];
        while (!hasAll() && Date.now() - changedAt < STUCK_AFTER_MS) {
          await delay(POLL_MS);
          if (countArrivals() !== before) [before, changedAt] = [countArrivals(), Date.now()];
        }
        const hooked = firstArrivals(arrived.get(name) ?? []);
        const start = events.findIndex(({ type }) => type === 'webhook.created');
        compare(ledger, `webhook of ${name}`, expected.slice(start), hooked);
        compare(
          ledger,
          `feed of ${name}`,
          expected,
          (read.get(name) ?? []).map(({ id }) => id),
        );
        count += hooked.length;
      }
      return count;
    },
    async close() {
      stop.abort();
      await Promise.all(readers);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Each Artifact was created, and is on chain or has failed. @param {Ledger} ledger @param {Account} account @param {readonly FeedEvent[]} events */
function requireOutcomes(ledger, account, events) {
  /** @param {string[]} types */
  const idsOf = (...types) =>
    new Set(events.flatMap(({ type, data }) => (types.includes(type) ? [data?.['manifestId']] : [])));
  const [created, settled] = [idsOf('artifact.created'), idsOf('artifact.submitted', 'artifact.failed')];
  for (const { id } of ledger.successfulCreations().filter((creation) => creation.account === account)) {
    if (id !== undefined && created.has(id) && settled.has(id)) continue;
    ledger.recordViolation('lost', `feed of ${account.name}: an event of the Artifact ${id}`);
  }
}

/** An event may arrive again. @param {readonly FeedEvent[]} events */
function firstArrivals(events) {
  return [...new Set(events.map(({ id }) => id))];
}

/** @param {Ledger} ledger @param {string} what @param {readonly string[]} expected @param {readonly string[]} found */
function compare(ledger, what, expected, found) {
  const known = new Set(found);
  const missing = expected.filter((id) => !known.has(id));
  if (missing.length > 0) ledger.recordViolation('lost', `${what}: ${missing.length} events, such as ${missing[0]}`);
  const upTo = found.slice(0, expected.length);
  const isOrdered = missing.length > 0 || expected.every((id, index) => upTo[index] === id);
  if (!isOrdered) ledger.recordViolation('unexpected', `${what}: events are out of order`);
}
