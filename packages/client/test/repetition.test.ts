// What is sent again after a lost response, what is not, and the export of an account.

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exampleArtifact } from '@provenance-registry/core';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../src/environment.js';
import { ApiError, type RegistryClient, ServiceUnreachableError } from '../src/index.js';
import { closeConnection, type Responder, respondJson, respondWith } from './support/scriptedServer.js';
import { createTestClient } from './support/testClient.js';

const unavailable = respondJson(503, { error: 'Unavailable.', code: 'UNAVAILABLE' });

describe('After a lost response', () => {
  const refuse = (status: number, code: string) => respondJson(status, { error: 'No.', code });
  const done = respondWith(204, {});
  const id = exampleArtifact.mark.id;
  const password = 'correct horse battery';

  /** Calls that the service may have processed: what a second request would get then, and what the caller sees. */
  const calls: [name: string, call: (client: RegistryClient) => Promise<unknown>, second: Responder][] = [
    ['a deleted key is gone', (client) => client.deleteApiKey({ keyId: id }), refuse(404, 'NOT_FOUND')],
    [
      'a member has left',
      (client) => client.removeOrganizationMember({ organizationId: id, userId: id }),
      refuse(404, 'NOT_FOUND'),
    ],
    ['a second factor is off', (client) => client.removeTotp({ password }), refuse(404, 'NOT_FOUND')],
    ['a token that was logged out is unknown', (client) => client.logOut(), refuse(401, 'UNAUTHORIZED')],
    [
      'another reset mail is not sent',
      (client) => client.requestPasswordReset({ email: 'a@b.c' }),
      respondWith(202, {}),
    ],
    ['all other sessions are ended', (client) => client.endSessions({ keepCurrent: true }), done],
  ];

  test.each(calls)('%s: the repeated call succeeds', async (_, call, second) => {
    const { client, received } = await createTestClient([closeConnection, second]);
    await expect(call(client)).resolves.toBeUndefined();
    expect(received.length).toBe(2);
  });

  const newPassword = 'staple battery horse';
  test.each<[name: string, call: (client: RegistryClient) => Promise<unknown>]>([
    ['changePassword', (client) => client.changePassword({ currentPassword: password, newPassword })],
    ['closeAccount', (client) => client.closeAccount({ password })],
    ['confirmPasswordReset', (client) => client.confirmPasswordReset({ token: 'x', newPassword })],
    ['verifyEmail', (client) => client.verifyEmail({ token: 'x' })],
    ['confirmTotp', (client) => client.confirmTotp({ code: '123456' })],
    ['logIn with a code', (client) => client.logIn({ email: 'a@b.c', password, totpCode: '123456' })],
    ['endSessions', (client) => client.endSessions()],
    ['acceptInvitation', (client) => client.acceptInvitation({ token: 'x' })],
    ['declineInvitation', (client) => client.declineInvitation({ token: 'x' })],
    ['transferOrganization', (client) => client.transferOrganization({ organizationId: id, userId: id })],
    ['putMarkAdmin', (client) => client.putMarkAdmin({ markId: id, userId: id })],
    ['answerClaim', (client) => client.answerClaim({ claimId: id, text: 'No.' })],
    ['withdrawClaim', (client) => client.withdrawClaim({ claimId: id })],
    ['concedeClaim', (client) => client.concedeClaim({ claimId: id })],
    ['addOperatorNote', (client) => client.addOperatorNote({ claimId: id, text: 'Note.' })],
  ])('%s is not repeated, because the service would refuse what it has done', async (_, call) => {
    const { client, received } = await createTestClient([closeConnection, refuse(401, 'UNAUTHORIZED')]);
    await expect(call(client)).rejects.toThrow(ServiceUnreachableError);
    expect(received.length).toBe(1);
  });

  test('an invitation that is not found is not taken for withdrawn: it may be accepted', async () => {
    const { client } = await createTestClient([closeConnection, refuse(404, 'NOT_FOUND')]);
    const withdrawing = client.withdrawOrganizationInvitation({ organizationId: id, invitationId: id });
    await expect(withdrawing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a first refusal is a refusal', async () => {
    const { client: one } = await createTestClient([refuse(404, 'NOT_FOUND')]);
    await expect(one.deleteApiKey({ keyId: id })).rejects.toThrow(ApiError);
    const { client: other } = await createTestClient([refuse(401, 'UNAUTHORIZED')]);
    await expect(other.logOut()).rejects.toThrow(ApiError);
  });
});

test('bodies of deletions and queries of deletions are sent', async () => {
  const bodies: string[] = [];
  const { client, received } = await createTestClient([
    async (request, response) => {
      bodies.push(await text(request));
      response.writeHead(204).end();
    },
  ]);
  await client.closeAccount({ password: 'correct horse battery' });
  await client.endSessions({ keepCurrent: true });
  expect(bodies).toEqual(['{"password":"correct horse battery"}', '']);
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'DELETE /api/v1/me',
    'DELETE /api/v1/me/sessions?keepCurrent=true',
  ]);
  expect(received[0]?.headers['content-type']).toBe('application/json');
});

describe('An export', () => {
  const part = 'x'.repeat(1024 * 1024);
  const readAll = async (stream: ReadableStream<Uint8Array>) => (await new Response(stream).text()).length;

  test('is a stream without a limit of its size, and begins again after 503', async () => {
    const megabytes = 20;
    const { client, received } = await createTestClient([
      unavailable,
      (_, response) => Readable.from(Array(megabytes).fill(part)).pipe(response.writeHead(200)),
    ]);
    expect(await readAll(await client.exportAccount())).toBe(megabytes * part.length);
    expect(received.length).toBe(2);
  });

  test('fails when the connection is lost before its end', async () => {
    const { client } = await createTestClient([
      (_, response) => response.writeHead(200).write(part, () => response.destroy()),
    ]);
    await expect(client.exportAccount().then(readAll)).rejects.toThrow(ServiceUnreachableError);
  });

  test('fails when nothing arrives any more, and ends with the signal of the caller', async () => {
    const stall: Responder = (_, response) => response.writeHead(200).write('{');
    const scheduled: (() => void)[] = [];
    const schedule: Environment['schedule'] = (_ms, work) => {
      scheduled.push(work);
      return () => {};
    };
    const { client } = await createTestClient([stall], {}, { schedule });
    const reader = (await client.exportAccount()).getReader();
    expect((await reader.read()).value).toHaveLength(1);
    const stalled = reader.read();
    scheduled.at(-1)?.();
    await expect(stalled).rejects.toThrow('sent nothing for 30 s');

    const controller = new AbortController();
    const { client: other } = await createTestClient([stall]);
    const stream = await other.exportAccount({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(readAll(stream)).rejects.toThrow('enough');
  });

  test('that is refused is an ApiError', async () => {
    const { client } = await createTestClient([respondJson(403, { error: 'No.', code: 'FORBIDDEN' })]);
    await expect(client.exportAccount()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
