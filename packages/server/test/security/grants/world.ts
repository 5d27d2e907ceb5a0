// One holder of every grant of the table: the owner of an organization (the studio) with an API key, who is an admin member of
// another one (the guild), the admin of one of its Marks, and a member of others' Marks.

import { TOTP } from 'otpauth';
import { expect } from 'vitest';
import {
  addMarkMember,
  addMember,
  changeTier,
  createApiKey,
  createMark,
  createOrganization,
  type TestUser,
} from '../../../../../test/support/accounts.js';
import {
  createArtifact,
  newArtifact,
  type Registry,
  startRegistry,
  withoutChain,
} from '../../../../../test/support/artifacts.js';
import { type MailServer, startMailServer } from '../../../../../test/support/mailServer.js';
import { randomUUID } from '../../../../../test/support/random.js';
import { call, signUp, type TestResponse } from '../../../../../test/support/service.js';
import { openEventStream } from '../../support/eventStream.js';
import { startProvider, type TestProvider } from '../../support/openidProvider.js';
import { startReceiver } from '../../support/webhooks.js';

export interface Stage {
  readonly service: Registry;
  readonly mail: MailServer;
  readonly provider: TestProvider;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** What the holder logs in with. Ways of losing a right change it. */
interface Holder {
  readonly id: string;
  email: string;
  password: string;
  /** Of the session that loses nothing unless all sessions end. */
  token: string;
  readonly recoveryCodes: string[];
}

export async function startStage(): Promise<Stage> {
  const [mail, provider] = await Promise.all([startMailServer(), startProvider()]);
  const settings = { ...(await withoutChain()), ...mail.settings, ...provider.settings, WEBHOOK_LOOPBACK: 'true' };
  return { service: await startRegistry(settings), mail, provider };
}

async function requireSuccess(request: Promise<TestResponse>): Promise<TestResponse> {
  const response = await request;
  expect([response.status < 300, response.body.code]).toEqual([true, undefined]);
  return response;
}

export async function createWorld(stage: Stage, { isVerified }: { readonly isVerified: boolean }) {
  const { service, provider } = stage;
  const founder = await createPerson(stage, true);
  const holder = await createHolder(stage, isVerified);
  const send = (user: { readonly token: string }, path: string, body: unknown, method = 'POST') =>
    requireSuccess(call(service, method, `/api/v1/${path}`, { token: user.token, body }));

  const guild = await createOrganization(service, founder, 5);
  const secret = `Zinnober-${randomUUID()}`;
  const newMark = async (user: { token: string }, fields: object): Promise<string> =>
    (await requireSuccess(createMark(service, user, { visibility: 'private', ...fields }))).body.id;
  const sharedMark = await newMark(founder, { organizationId: guild });
  // Before the holder is a member of the organization, who need not be one of its Marks.
  await requireSuccess(addMarkMember(service, founder, sharedMark, holder));
  await requireSuccess(addMember(service, founder, guild, holder, true));
  const guildMark = await newMark(holder, { organizationId: guild, name: secret });
  const foundersMark = await newMark(founder, {});
  await requireSuccess(addMarkMember(service, founder, foundersMark, holder));
  const ownMark = await newMark(holder, {});

  const studio = await createOrganization(service, holder, 5);
  const key = (await requireSuccess(createApiKey(service, holder, studio))).body as { id: string; token: string };
  const invite = async (user: { token: string }, path: string, body = {}) =>
    (await send(user, `${path}/invitations`, body)).body as { id: string; token: string };
  const invitations = {
    organizationInvitation: await invite(holder, `organizations/${studio}`),
    keyInvitation: await invite(key, `organizations/${studio}`),
    markInvitation: await invite(holder, `marks/${guildMark}`),
  };
  const received = isVerified
    ? await invite(founder, `marks/${await newMark(founder, {})}`, { email: holder.email })
    : undefined;

  const webhook = async (user: { token: string }, organizationId?: string) => {
    const receiver = await startReceiver();
    await send(user, 'webhooks', { url: receiver.url, ...(organizationId && { organizationId }) });
    return receiver;
  };
  const receivers = {
    adminWebhook: await webhook(holder, guild),
    ownerWebhook: await webhook(holder, studio),
    keyWebhook: await webhook(key),
    userWebhook: await webhook(holder),
    // Of the user: a freeze deletes those of the organization.
    control: await webhook(founder),
  };

  const registration = { body: newArtifact({ markId: guildMark, filename: `${secret}.jpg` }), key: randomUUID() };
  const first = await requireSuccess(createArtifact(service, holder, registration.body, { key: registration.key }));
  const otherSession = { token: await logIn(service, holder) };
  const provided = { token: await provider.sign({ sub: secret }) };
  await requireSuccess(call(service, 'GET', '/api/v1/me', provided));
  const newAddress = `${randomUUID()}@example.com`;
  const links = await requestLinks(stage, holder, newAddress);
  return {
    ...stage,
    ...{ founder, holder, guild, studio, secret, guildMark, sharedMark, foundersMark, ownMark },
    ...{ key, invitations, received, receivers, otherSession, provided, newAddress, links },
    registration: { ...registration, artifactId: String(first.body.id) },
    streams: {
      organizationStream: await openEventStream(service, otherSession, {}, `?organizationId=${guild}`),
      userStream: await openEventStream(service, otherSession),
    },
    send,
  };
}

async function createPerson({ service, mail }: Stage, isVerified: boolean): Promise<TestUser> {
  const user = await signUp(service);
  await changeTier(service, user, 'enterprise');
  if (isVerified) {
    const { token } = await mail.nextMail(user.email);
    await requireSuccess(call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } }));
  }
  return user;
}

/** With a second factor. */
async function createHolder(stage: Stage, isVerified: boolean): Promise<Holder> {
  const { service } = stage;
  const { id, email, token } = await createPerson(stage, isVerified);
  const password = 'correct horse battery';
  const post = (path: string, body: unknown) =>
    requireSuccess(call(service, 'POST', `/api/v1/me/totp${path}`, { token, body }));
  const { secret } = (await post('', { password })).body;
  const { recoveryCodes } = (await post('/confirm', { code: new TOTP({ secret }).generate() })).body;
  return { id, email, password, token, recoveryCodes };
}

/** Returns the token of a new session. */
export async function logIn(service: Registry, { email, password, recoveryCodes }: Holder): Promise<string> {
  const totpCode = recoveryCodes.pop();
  const body = { email, password, ...(totpCode && { totpCode }) };
  return (await requireSuccess(call(service, 'POST', '/api/v1/auth/login', { body }))).body.token;
}

/** Requests a change of the address and a reset of the password; returns the tokens of both mails. */
export async function requestLinks(
  { service, mail }: Stage,
  { token, email, password }: Pick<Holder, 'token' | 'email' | 'password'>,
  newAddress: string,
): Promise<{ readonly verification: string; readonly reset: string }> {
  const body = { email: newAddress, password };
  await requireSuccess(call(service, 'PUT', '/api/v1/me/email', { token, body }));
  await requireSuccess(call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } }));
  const [verification, reset] = [
    await mail.nextMail(newAddress),
    await nextMailAbout(mail, email, 'Reset your password'),
  ];
  return { verification: verification.token, reset: reset.token };
}

async function nextMailAbout(mail: MailServer, address: string, subject: string) {
  for (;;) {
    const next = await mail.nextMail(address);
    if (next.subject === subject) return next;
  }
}
