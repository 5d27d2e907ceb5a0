// What keeps webhooks from being turned against others: a challenge before the first event, and limits of challenges, of
// replays and of what is stored. With real receivers, and a clock that moves.

import {
  DAILY_CHANGES,
  DAILY_CREDENTIAL_CHANGES,
  DAILY_REPLAYED_EVENTS,
  DAILY_WEBHOOK_CHALLENGES,
  MAX_WEBHOOK_DELIVERIES,
  WEBHOOK_CHALLENGES,
} from '@provenance-registry/core';
import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createEarlierDatabase, query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { migrateToLatest } from '../../src/database/migrate.js';
import type { Caller } from '../../src/domain/caller.js';
import {
  createWebhook,
  deleteOldDeliveries,
  deleteWebhook,
  listWebhookDeliveries,
  readWebhook,
  replayWebhook,
  updateWebhook,
  verifyWebhook,
} from '../../src/domain/events/webhooks.js';
import { type Receiver, startReceiver, startWebhookTests } from '../support/webhooks.js';

const DAY_MS = 86_400_000;
/** Longer than the longest pause between two challenges. */
const RETRY_MS = 600_000;

let tests: Awaited<ReturnType<typeof startWebhookTests>>;
beforeAll(async () => {
  tests = await startWebhookTests();
  tests.startWorker();
});

const read = (user: Caller, id: string) => readWebhook(tests.ports, user, id);
const waitForStatus = (user: Caller, id: string, status: string) =>
  waitUntil(async () => (await read(user, id)).status === status, `it is ${status}`);
const waitForChallenges = (receiver: Receiver, count: number) =>
  waitUntil(() => receiver.challenges.length >= count, `${count} challenges have arrived`);
const waitForEvents = (receiver: Receiver, count: number) =>
  waitUntil(() => receiver.received.length >= count, `${count} events have arrived`);

/** Resolves when the last challenge that was sent has a result. */
const waitForError = (user: Caller, id: string, error: RegExp) =>
  waitUntil(async () => error.test((await read(user, id)).challengeError ?? ''), `the error is ${error}`);

async function createHook(user: Caller, receiver: Receiver) {
  const webhook = await createWebhook(tests.ports, user, { url: receiver.url });
  await tests.order();
  return webhook;
}

/** Node 20 has no `Promise.withResolvers`. */
function createDeferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('A URL', () => {
  it('gets no event before it has repeated a signed challenge, then all since the creation', async () => {
    tests.advance(Date.now() - tests.ports.clock().getTime());
    const user = await tests.createCaller();
    const receiver = await startReceiver();
    receiver.answerChallenge = (response) => void response.writeHead(503).end();
    const created = await createHook(user, receiver);
    expect(created).toMatchObject({ status: 'unverified', verifiedAt: null, challengeError: null });
    const ids = await tests.addEvents(user.user.id, 3);
    await waitForError(user, created.id, /status 503/);
    const [challenge] = receiver.challenges;
    const headers = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(challenge?.headers[name])]),
    );
    expect(new Verifier(created.secret).verify(challenge?.body ?? '', headers)).toMatchObject({
      type: 'webhook.challenge',
      data: { webhookId: created.id, challenge: expect.stringMatching(/^[\w-]{32}$/) },
    });
    expect(receiver.received).toEqual([]);

    receiver.answerChallenge = (response, { challenge: text }) => void response.end(`${text}\n`);
    tests.advance(RETRY_MS);
    await waitForEvents(receiver, 4);
    expect(receiver.types()[0]).toBe('webhook.created');
    expect(receiver.eventIds().slice(1)).toEqual(ids);
    const verified = await read(user, created.id);
    expect(verified).toMatchObject({ status: 'active', challengeError: null, nextAttemptAt: null });
    expect(verified.verifiedAt).toEqual(tests.ports.clock().toISOString());
    // The same text at each attempt.
    expect(new Set(receiver.challenges.map((received) => received.challenge)).size).toBe(1);
    expect(receiver.challenges).toHaveLength(2);
  });

  const wrong: Record<string, Receiver['answerChallenge']> = {
    'with no body': (response) => void response.writeHead(204).end(),
    'with another text': (response) => void response.end('ok'),
    'by sending the request back': (response, { body }) => void response.end(body),
    'with another last character': (response, { challenge }) =>
      void response.end(`${challenge.slice(0, -1)}${challenge.endsWith('A') ? 'B' : 'A'}`),
    'in another case': (response, { challenge }) => void response.end(challenge.toLowerCase()),
    'within other text': (response, { challenge }) => void response.end(`Your challenge: ${challenge}`),
    'in another field': (response, { challenge }) => void response.end(JSON.stringify({ data: { challenge } })),
    'in a list': (response, { challenge }) => void response.end(JSON.stringify([challenge])),
    'with a status of failure': (response, { challenge }) => void response.writeHead(500).end(challenge),
    'with a redirect': (response, { challenge }) =>
      void response.writeHead(302, { location: 'https://example.com' }).end(challenge),
    'after more text than is read': (response, { challenge }) =>
      void response.end(JSON.stringify({ padding: 'x'.repeat(5_000), challenge })),
  };
  it(`that answers wrongly is asked ${WEBHOOK_CHALLENGES} times, then only when its owner says so`, async () => {
    const hooks = await Promise.all(
      Object.entries(wrong).map(async ([how, answer]) => {
        const user = await tests.createCaller();
        const receiver = await startReceiver();
        receiver.answerChallenge = answer;
        return { how, user, receiver, id: (await createHook(user, receiver)).id };
      }),
    );
    const waitForAll = (count: number) =>
      Promise.all(
        hooks.map(async ({ how, receiver, user, id }) => {
          await waitForChallenges(receiver, count);
          await waitUntil(async () => {
            const { challengeError, nextAttemptAt } = await read(user, id);
            return (
              challengeError !== null && (nextAttemptAt === null || nextAttemptAt > tests.ports.clock().toISOString())
            );
          }, `the challenge that is answered ${how} has a result`);
        }),
      );
    for (let count = 1; count <= WEBHOOK_CHALLENGES; count += 1) {
      await waitForAll(count);
      tests.advance(RETRY_MS);
    }
    tests.advance(DAY_MS);
    const others = await tests.createCaller();
    const other = await startReceiver();
    // Those that are due are all leased before one that is due later.
    const { id: otherId } = await createHook(others, other);
    await waitForStatus(others, otherId, 'active');
    for (const { how, user, receiver, id } of hooks) {
      expect([how, receiver.challenges.length, receiver.received]).toEqual([how, WEBHOOK_CHALLENGES, []]);
      const { status, nextAttemptAt, challengeError } = await read(user, id);
      expect([how, status, nextAttemptAt]).toEqual([how, 'unverified', null]);
      expect([how, challengeError]).toEqual([how, expect.stringMatching(/does not repeat|status (302|500)/)]);
    }
    const [first] = hooks;
    if (!first) throw new Error('no hook');
    first.receiver.answerChallenge = (response, { challenge }) => void response.end(JSON.stringify({ challenge }));
    expect(await verifyWebhook(tests.ports, first.user, first.id)).toMatchObject({
      status: 'unverified',
      challengeError: null,
    });
    await waitForStatus(first.user, first.id, 'active');
    const count = first.receiver.challenges.length;
    expect(await verifyWebhook(tests.ports, first.user, first.id)).toMatchObject({ status: 'active' });
    expect(first.receiver.challenges).toHaveLength(count);
  });

  it('that answers with 410 is not asked again', async () => {
    const user = await tests.createCaller();
    const receiver = await startReceiver();
    receiver.answerChallenge = (response) => void response.writeHead(410).end();
    const { id } = await createHook(user, receiver);
    await waitForError(user, id, /status 410/);
    expect(await read(user, id)).toMatchObject({ status: 'unverified', nextAttemptAt: null });
  });

  it('that replaces another one has to answer too; events wait, and the other one gets none of them', async () => {
    const user = await tests.createCaller();
    const [former, next] = await Promise.all([startReceiver(), startReceiver()]);
    const { id } = await createHook(user, former);
    await waitForEvents(former, 1);
    next.answerChallenge = (response) => void response.writeHead(404).end();
    expect(await updateWebhook(tests.ports, user, id, { url: next.url })).toMatchObject({ status: 'unverified' });
    await tests.addEvents(user.user.id, 2);
    await waitForError(user, id, /status 404/);
    expect([former.received.length, next.received.length]).toEqual([1, 0]);
    next.answerChallenge = (response, { challenge }) => void response.end(challenge);
    tests.advance(RETRY_MS);
    await waitForEvents(next, 3);
    expect([former.received.length, next.types()]).toEqual([
      1,
      ['webhook.updated', 'account.sessions_ended', 'account.sessions_ended'],
    ]);
    expect(next.challenges[0]?.challenge).not.toBe(former.challenges[0]?.challenge);
  });

  it('is not verified by an answer to the challenge of the URL before', async () => {
    const user = await tests.createCaller();
    const [former, next] = await Promise.all([startReceiver(), startReceiver()]);
    next.answerChallenge = (response) => void response.writeHead(404).end();
    const changed = createDeferred();
    former.answerChallenge = async (response, { challenge }) => {
      await changed.promise;
      response.end(challenge);
    };
    const { id } = await createHook(user, former);
    await waitForChallenges(former, 1);
    await updateWebhook(tests.ports, user, id, { url: next.url });
    changed.resolve();
    await waitForError(user, id, /status 404/);
    expect(await read(user, id)).toMatchObject({ status: 'unverified', url: next.url });
  });

  it(`gets ${DAILY_WEBHOOK_CHALLENGES} challenges a day of one account at most, whatever that does`, async () => {
    const [user, other] = await Promise.all([tests.createCaller(), tests.createCaller()]);
    const receiver = await startReceiver();
    receiver.answerChallenge = (response) => void response.writeHead(410).end();
    const rounds = DAILY_WEBHOOK_CHALLENGES / WEBHOOK_CHALLENGES;
    const { id } = await createWebhook(tests.ports, user, { url: receiver.url });
    const attempts = await Promise.allSettled([
      ...Array.from({ length: rounds + 5 }, () => verifyWebhook(tests.ports, user, id)),
      ...Array.from({ length: 5 }, (_, path) => createWebhook(tests.ports, user, { url: `${receiver.url}/${path}` })),
    ]);
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(rounds - 1);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'CONFLICT', message: /today/ });
    }
    await expect(updateWebhook(tests.ports, user, id, { url: `${receiver.url}/other` })).rejects.toThrow('today');
    await createHook(other, receiver);
    tests.advance(DAY_MS);
    await verifyWebhook(tests.ports, user, id);
  });
});

it('Webhooks from before there were challenges go on', async () => {
  const url = await createEarlierDatabase(inject('postgresUrl'), '0027');
  const [user, id] = [randomUUID(), randomUUID()];
  await query(url, `insert into users (id, name, tier) values ($1, 'Ada', 'free')`, [user]);
  await query(
    url,
    `insert into webhooks (id, user_id, created_by, url, created_at, created_event_id, position, run_at)
     values ($1, $2, $2, 'https://receiver.example/hook', now(), 1, 0, now())`,
    [id, user],
  );
  await migrateToLatest({ connectionString: url });
  const [row] = await query(url, 'select verified_at is not null as verified, challenges_left from webhooks');
  expect(row).toEqual({ verified: true, challenges_left: 0 });
});

describe('Replays', () => {
  /** A webhook with so many events that were delivered. */
  async function createDelivered(count: number, receiver: Receiver) {
    const user = await tests.createCaller();
    const before = receiver.received.length;
    const { id } = await createHook(user, receiver);
    await tests.addEvents(user.user.id, count - 1);
    await waitForEvents(receiver, before + count);
    return { user, id };
  }

  it(`send ${DAILY_REPLAYED_EVENTS} events again to a host on one day at most, also when thirty are asked for at once`, async () => {
    const receiver = await startReceiver();
    const { user, id } = await createDelivered(61, receiver);
    const outcomes: string[] = [];
    for (let replay = 0; replay < 30; replay += 1) {
      const asked = replayWebhook(tests.ports, user, id, '0');
      await asked.then(
        () => outcomes.push('sent'),
        ({ code, message }) => outcomes.push(`${code}: ${message}`),
      );
      // Each event again, and those of the replays.
      await waitUntil(async () => {
        await tests.order();
        const { position } = await read(user, id);
        return BigInt(position) >= BigInt(await tests.ports.store.feed.readEnd());
      }, 'all has been sent');
    }
    const sent = outcomes.filter((outcome) => outcome === 'sent').length;
    expect(sent).toBeGreaterThan(0);
    const refusal =
      /^CONFLICT: These are more events than can be sent again to 127\.0\.0\.1 today: \d+ of 500 are left\./;
    for (const outcome of outcomes.slice(sent)) expect(outcome).toMatch(refusal);
    // The first deliveries, and an event of each replay.
    expect(receiver.received.length).toBeLessThanOrEqual(61 + sent + DAILY_REPLAYED_EVENTS);

    // What is left counts for all webhooks of the account to this host; others have their own.
    const { deliveries } = await listWebhookDeliveries(tests.ports, user, id, { limit: 2 });
    const [, lastButOne] = deliveries;
    await replayWebhook(tests.ports, user, id, lastButOne?.position ?? '');
    const use = { ownerId: user.user.id, subject: 'replays: 127.0.0.1' };
    const used = await tests.ports.store.dailyBudgets.read(use.ownerId, use.subject, tests.ports.clock());
    const rest = { ...use, amount: DAILY_REPLAYED_EVENTS - used, limit: DAILY_REPLAYED_EVENTS };
    expect(await tests.ports.store.dailyBudgets.take(rest, tests.ports.clock())).toBe(true);
    const sibling = await createHook(user, receiver);
    const countDeliveries = async () =>
      (await listWebhookDeliveries(tests.ports, user, sibling.id, {})).deliveries.length;
    await waitUntil(async () => (await countDeliveries()) > 0, 'the other webhook has sent its first event');
    await expect(replayWebhook(tests.ports, user, sibling.id, '0')).rejects.toThrow('0 of 500 are left');
    const second = await createDelivered(5, receiver);
    await replayWebhook(tests.ports, second.user, second.id, '0');
    tests.advance(DAY_MS);
    await replayWebhook(tests.ports, user, id, '0');
  });
});

describe('What is stored', () => {
  it(`of deliveries are the last ${MAX_WEBHOOK_DELIVERIES} of a webhook`, async () => {
    const user = await tests.createCaller();
    const receiver = await startReceiver();
    const { id } = await createHook(user, receiver);
    await waitForEvents(receiver, 1);
    const [position = ''] = (
      await tests.database.selectFrom('events').select('position').where('actor_id', '=', user.user.id).execute()
    ).map((row) => row.position);
    const attempt = { position: position ?? '', attempt: 1, at: tests.ports.clock(), durationMs: 1, status: 503 };
    await tests.database
      .insertInto('webhook_deliveries')
      .values(
        Array.from({ length: MAX_WEBHOOK_DELIVERIES + 20 }, (_, index) => ({
          webhook_id: id,
          position: attempt.position,
          attempt: index,
          at: attempt.at,
          duration_ms: 1,
        })),
      )
      .execute();
    await deleteOldDeliveries(tests.ports);
    const rows = await tests.database
      .selectFrom('webhook_deliveries')
      .select('attempt')
      .where('webhook_id', '=', id)
      .orderBy('id')
      .execute();
    expect([rows.length, rows[0]?.attempt, rows.at(-1)?.attempt]).toEqual([
      MAX_WEBHOOK_DELIVERIES,
      20,
      MAX_WEBHOOK_DELIVERIES + 19,
    ]);
  });

  it(`of events are ${DAILY_CHANGES} changes of an account a day, and what takes something away`, async () => {
    const user = await tests.createCaller();
    const receiver = await startReceiver();
    const { id } = await createHook(user, receiver);
    await waitForStatus(user, id, 'active');
    const countEvents = async () =>
      (await tests.database.selectFrom('events').select('id').where('actor_id', '=', user.user.id).execute()).length;
    // The webhook was one of them.
    await tests.database
      .updateTable('daily_budgets')
      .set({ used: DAILY_CHANGES - 3 })
      .where('owner_id', '=', user.user.id)
      .where('subject', '=', 'changes')
      .execute();
    const before = await countEvents();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        updateWebhook(tests.ports, user, id, { types: index % 2 === 0 ? ['key.created'] : null }),
      ),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(['TIER_RESTRICTION']));
    expect((await countEvents()) - before).toBeLessThanOrEqual(3);
    // A refused change changes nothing.
    const { types } = await read(user, id);
    await expect(
      updateWebhook(tests.ports, user, id, { types: ['mark.created', 'key.revoked'] }),
    ).rejects.toMatchObject({
      code: 'TIER_RESTRICTION',
    });
    expect((await read(user, id)).types).toEqual(types);
    await deleteWebhook(tests.ports, user, id);
  });

  it(`of events are ${DAILY_CREDENTIAL_CHANGES} changes of credentials a day, which other changes do not use up`, async () => {
    const { user } = await tests.createCaller();
    const append = (count: number, isUnlimited?: boolean) =>
      tests.ports.store.events.append(
        ...Array.from({ length: count }, () => ({
          type: 'account.password_changed' as const,
          actorId: user.id,
          userId: user.id,
          ...(isUnlimited && { isUnlimited }),
        })),
      );
    await append(DAILY_CREDENTIAL_CHANGES);
    await expect(append(1)).rejects.toMatchObject({ code: 'TIER_RESTRICTION' });
    // A mailed reset is never refused.
    await append(1, true);
    await tests.ports.store.events.append({ type: 'mark.updated', actorId: user.id });
  });
});
