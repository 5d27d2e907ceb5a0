// Deliveries of webhooks to real receivers, with a clock that moves: nothing is lost, and the order is kept.

import { Webhook as Verifier } from 'standardwebhooks';
import { beforeAll, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import type { Caller } from '../../src/domain/caller.js';
import {
  createWebhook,
  listWebhookDeliveries,
  type NewWebhookRequest,
  readWebhook,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../src/domain/events/webhooks.js';
import { type Received, type Receiver, startReceiver, startWebhookTests } from '../support/webhooks.js';

const HOUR_MS = 3_600_000;

let tests: Awaited<ReturnType<typeof startWebhookTests>>;
beforeAll(async () => {
  tests = await startWebhookTests();
  tests.startWorker();
});

async function createHook(fields: Partial<NewWebhookRequest>, caller: Caller) {
  const receiver = await startReceiver();
  const webhook = await createWebhook(tests.ports, caller, { url: receiver.url, ...fields });
  await tests.order();
  return { ...webhook, receiver };
}

const waitForCount = (receiver: Receiver, count: number) =>
  waitUntil(() => receiver.received.length >= count, `${count} requests have arrived`);

/** Resolves when the last attempt has failed, and the next one needs the clock to move. */
const waitForFailure = (user: Caller, id: string) =>
  waitUntil(async () => {
    const { nextAttemptAt, pausedAt } = await readWebhook(tests.ports, user, id);
    return pausedAt !== null || (nextAttemptAt !== null && nextAttemptAt > tests.ports.clock().toISOString());
  }, 'the failed attempt is recorded');

const verify = (secret: string, { headers, body }: Received, changedBody = body) =>
  new Verifier(secret).verify(changedBody, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

it('Events arrive in order, after the creation of the webhook, signed by Standard Webhooks', async () => {
  const user = await tests.createCaller();
  await tests.addEvents(user.user.id, 3);
  // Committed before the creation, but without a position then.
  await tests.ports.store.events.append({ type: 'account.totp_enabled', actorId: user.user.id, userId: user.user.id });
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  const ids = await tests.addEvents(user.user.id, 120);
  await waitForCount(receiver, 121);
  expect(receiver.types().slice(0, 2)).toEqual(['webhook.created', 'account.sessions_ended']);
  expect(receiver.eventIds().slice(1)).toEqual(ids);
  const [first] = receiver.received;
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': `evt_${first?.message.data.id}`,
    'user-agent': 'provenance-registry',
  });
  expect(first?.message).toMatchObject({ type: 'webhook.created', data: { data: { webhookId: id } } });
  const page = await listWebhookDeliveries(tests.ports, user, id, { limit: 100 });
  expect(page.deliveries[0]).toMatchObject({ eventId: ids.at(-1), attempt: 1, status: 204, error: null });
  const rest = await listWebhookDeliveries(tests.ports, user, id, { limit: 100, cursor: String(page.nextCursor) });
  expect([page.deliveries.length, rest.deliveries.length, rest.nextCursor]).toEqual([100, 21, null]);
});

it('The own verifier of Standard Webhooks accepts requests, also with either secret after a rotation', async () => {
  const user = await tests.createCaller();
  const { id, secret, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  const send = async () => {
    const [eventId] = await tests.addEvents(user.user.id, 1);
    const find = () => receiver.received.find(({ message }) => message.data.id === eventId);
    await waitUntil(() => find() !== undefined, 'the event has arrived');
    const found = find();
    if (!found) throw new Error('nothing arrived');
    return found;
  };
  // The verifier compares times with the machine's clock.
  tests.advance(Date.now() - tests.ports.clock().getTime());
  const before = await send();
  expect(verify(secret, before)).toMatchObject({ type: 'account.sessions_ended' });
  expect(() => verify(secret, before, `${before.body} `)).toThrow('No matching signature');
  const rotated = await rotateWebhookSecret(tests.ports, user, id);
  expect(rotated.secret).not.toBe(secret);
  const during = await send();
  for (const either of [secret, rotated.secret]) expect(verify(either, during)).toBeTruthy();
  // The webhook's own `webhook.updated` was sent too.
  expect(receiver.types()).toContain('webhook.updated');
  tests.advance(25 * HOUR_MS);
  const after = await send();
  expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
  expect((await readWebhook(tests.ports, user, id)).previousSecretUntil).toBeNull();
});

it('Only events of the given types are sent, and other types count from the change on', async () => {
  const user = await tests.createCaller();
  const { id, receiver } = await createHook({ types: ['account.totp_enabled'] }, user);
  await createHook({ types: ['account.totp_enabled'] }, user);
  await tests.addEvents(user.user.id, 3);
  await tests.addEvents(user.user.id, 1, 'account.totp_enabled');
  await waitForCount(receiver, 2);
  await tests.addEvents(user.user.id, 2);
  await updateWebhook(tests.ports, user, id, { types: null });
  const [next] = await tests.addEvents(user.user.id, 1);
  await waitForCount(receiver, 4);
  expect(receiver.types()).toEqual([
    'webhook.created',
    'account.totp_enabled',
    'webhook.updated',
    'account.sessions_ended',
  ]);
  expect(receiver.eventIds().at(-1)).toBe(next);
});

it('A receiver that is down for a day loses nothing, and gets everything in order', async () => {
  const user = await tests.createCaller();
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  receiver.answer = (response) => void response.writeHead(503).end();
  const expected: string[] = [];
  for (let hour = 0; hour < 26; hour += 2) {
    expected.push(...(await tests.addEvents(user.user.id, 5)));
    await waitForFailure(user, id);
    tests.advance(2 * HOUR_MS);
  }
  await waitForFailure(user, id);
  const failing = receiver.received.slice(1);
  expect(failing.length).toBeGreaterThan(10);
  expect(new Set(failing.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`evt_${expected[0]}`]));
  expect((await readWebhook(tests.ports, user, id)).failingSince).not.toBeNull();
  const count = receiver.received.length;
  receiver.answer = (response) => void response.writeHead(200).end('thank you');
  tests.advance(2 * HOUR_MS);
  await waitUntil(() => receiver.eventIds().at(-1) === expected.at(-1), 'the last event has arrived');
  expect(receiver.eventIds().slice(count)).toEqual(expected);
  expect(await readWebhook(tests.ports, user, id)).toMatchObject({ failingSince: null, nextAttemptAt: null });
});

it('After three days of failures the webhook is paused with a mail, and resuming sends everything', async () => {
  const user = await tests.createCaller();
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  receiver.answer = (response) => response.destroy();
  const events = await tests.addEvents(user.user.id, 3);
  const isPaused = async () => (await readWebhook(tests.ports, user, id)).pausedAt !== null;
  for (let attempt = 1; !(await isPaused()); attempt += 1) {
    await waitForFailure(user, id);
    // Three days are not over before.
    if (attempt === 9) expect(await isPaused()).toBe(false);
    tests.advance(8 * HOUR_MS);
  }
  expect(await readWebhook(tests.ports, user, id)).toMatchObject({ pauseReason: 'failing', nextAttemptAt: null });
  const { deliveries } = await listWebhookDeliveries(tests.ports, user, id, {});
  expect(deliveries[0]).toMatchObject({ status: null, error: 'The server could not be reached safely (ECONNRESET).' });
  const mails = await tests.database.selectFrom('mails').select(['recipient', 'template', 'data']).execute();
  expect(mails).toContainEqual({
    recipient: user.user.email,
    template: 'webhook-notice',
    data: { webhookId: id, reason: 'failing' },
  });
  await tests.order();
  const count = receiver.received.length;
  receiver.answer = (response) => void response.writeHead(204).end();
  await updateWebhook(tests.ports, user, id, { paused: false });
  await tests.order();
  await waitForCount(receiver, count + 5);
  expect(receiver.eventIds().slice(count, count + 3)).toEqual(events);
  expect(receiver.types().slice(count + 3)).toEqual(['webhook.paused', 'webhook.updated']);
});

it('Status 410 pauses the webhook at once; a replay resumes it, and sends no event from before its creation', async () => {
  const user = await tests.createCaller();
  await tests.addEvents(user.user.id, 2);
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  receiver.answer = (response) => void response.writeHead(410).end();
  await tests.addEvents(user.user.id, 1);
  await waitUntil(async () => (await readWebhook(tests.ports, user, id)).pauseReason === 'gone', 'it is paused');
  receiver.answer = (response) => void response.writeHead(204).end();
  const { position } = await readWebhook(tests.ports, user, id);
  await expect(replayWebhook(tests.ports, user, id, String(BigInt(position) + 1n))).rejects.toThrow('"after" must be');
  const count = receiver.received.length;
  await replayWebhook(tests.ports, user, id, '0');
  await tests.order();
  await waitForCount(receiver, count + 4);
  expect(receiver.types().slice(count)).toEqual([
    'webhook.created',
    'account.sessions_ended',
    'webhook.paused',
    'webhook.updated',
  ]);
  expect(receiver.received[count]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
});

it('Redirects are failures and are not followed', async () => {
  const user = await tests.createCaller();
  const elsewhere = await startReceiver();
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  receiver.answer = (response) => void response.writeHead(307, { location: elsewhere.url }).end();
  await tests.addEvents(user.user.id, 1);
  await waitUntil(async () => (await readWebhook(tests.ports, user, id)).failingSince !== null, 'it failed');
  const { deliveries } = await listWebhookDeliveries(tests.ports, user, id, { limit: 1 });
  expect(deliveries[0]).toMatchObject({ status: 307, error: /Redirects are not followed/ });
  expect(elsewhere.received).toEqual([]);
});

it('Slow, endless and silent receivers do not hold up others', async () => {
  const users = await Promise.all(Array.from({ length: 3 }, () => tests.createCaller()));
  const hooks = await Promise.all(users.map((user) => createHook({}, user)));
  const [endless, drip, silent] = hooks.map(({ receiver }) => receiver);
  const quickUser = await tests.createCaller();
  const quick = await createHook({}, quickUser);
  await Promise.all([...hooks, quick].map(({ receiver }) => waitForCount(receiver, 1)));
  if (!endless || !drip || !silent) throw new Error('no receivers');
  endless.answer = (response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  };
  drip.answer = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 50);
    response.once('close', () => clearInterval(timer));
  };
  silent.answer = () => {};
  for (const { user } of users) await tests.addEvents(user.id, 2);
  await waitUntil(() => silent.openRequests() === 1, 'the silent receiver has a request');
  await tests.addEvents(quickUser.user.id, 1);
  await waitForCount(quick.receiver, 2);
  expect(silent.received).toHaveLength(2);
  // Their status says that the events arrived, whatever follows.
  await Promise.all([waitForCount(endless, 3), waitForCount(drip, 3)]);
  expect(silent.openRequests()).toBe(1);
});

it('Two workers send each event once and in order, and a worker that is stopped leaves its webhook to the other', async () => {
  const user = await tests.createCaller();
  const { id, receiver } = await createHook({}, user);
  await waitForCount(receiver, 1);
  const stopSecond = tests.startWorker();
  receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 2);
  const ids: string[] = [];
  for (let round = 0; round < 10; round += 1) ids.push(...(await tests.addEvents(user.user.id, 10)));
  await stopSecond();
  const countDeliveries = async () =>
    (await listWebhookDeliveries(tests.ports, user, id, { limit: 200 })).deliveries.length;
  await waitUntil(async () => (await countDeliveries()) >= 101, 'all deliveries are recorded');
  expect(receiver.eventIds().slice(1)).toEqual(ids);
});

it('There are ten webhooks at most, also when many are created at once', async () => {
  const user = await tests.createCaller();
  const { url } = await startReceiver();
  const created = await Promise.allSettled(Array.from({ length: 14 }, () => createWebhook(tests.ports, user, { url })));
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  const refusals = created.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(refusals).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT']);
});
