// Whether each grant of the table works: what its holder, or who has the token, sees through the API.

import { createArtifact, newArtifact } from '../../../../../test/support/artifacts.js';
import { query } from '../../../../../test/support/postgres.js';
import { randomUUID } from '../../../../../test/support/random.js';
import { call } from '../../../../../test/support/service.js';
import { waitUntil } from '../../../../../test/support/waitUntil.js';
import type { GrantId } from './table.js';
import type { World } from './world.js';

export type Results = Readonly<Partial<Record<GrantId, boolean>>>;

/** Grants by which events arrive. */
const streaming = [
  'adminWebhook',
  'ownerWebhook',
  'keyWebhook',
  'userWebhook',
  'organizationStream',
  'userStream',
] as const;
type StreamingId = (typeof streaming)[number];
/** A link works once: that one does is shown with those of another account. */
const links = ['verificationLink', 'resetLink'] as const;

const get = async ({ service }: World, path: string, { token }: { readonly token: string }) =>
  call(service, 'GET', `/api/v1/${path}`, { token });
const isOk = async (world: World, path: string, user: { readonly token: string } = world.holder) =>
  (await get(world, path, user)).status === 200;

async function canBeAccepted({ service }: World, { token }: { readonly token: string }): Promise<boolean> {
  return (await call(service, 'POST', '/api/v1/invitations/preview', { body: { token } })).status === 200;
}

const checks: Readonly<
  Record<Exclude<GrantId, StreamingId | (typeof links)[number] | 'waitingRequest'>, (world: World) => Promise<boolean>>
> = {
  session: (world) => isOk(world, 'me', world.otherSession),
  providerSession: (world) => isOk(world, 'me', world.provided),
  async secondFactor({ service, holder: { email, password } }) {
    const { body } = await call(service, 'POST', '/api/v1/auth/login', { body: { email, password } });
    return body.code === 'TOTP_REQUIRED';
  },
  async receivedInvitation(world) {
    const { status, body } = await get(world, 'me/invitations', world.holder);
    return status === 200 && body.some(({ id }: { id: string }) => id === world.received?.id);
  },
  ownership: async (world) => (await get(world, `organizations/${world.studio}`, world.holder)).body.role === 'owner',
  membership: (world) => isOk(world, `organizations/${world.guild}`),
  adminMember: (world) => isOk(world, `organizations/${world.guild}/events`),
  async organizationMarkMember(world) {
    const { body } = await get(world, `marks/${world.sharedMark}`, world.founder);
    return body.members.some(({ id }: { id: string }) => id === world.holder.id);
  },
  userMarkMember: (world) => isOk(world, `marks/${world.foundersMark}`),
  markAdmin: (world) => isOk(world, `marks/${world.guildMark}/invitations`),
  markOwner: async ({ service, holder, ownMark }) =>
    (await createArtifact(service, holder, newArtifact({ markId: ownMark }))).status === 201,
  apiKey: (world) => isOk(world, 'marks', world.key),
  organizationInvitation: (world) => canBeAccepted(world, world.invitations.organizationInvitation),
  keyInvitation: (world) => canBeAccepted(world, world.invitations.keyInvitation),
  markInvitation: (world) => canBeAccepted(world, world.invitations.markInvitation),
  async replay({ service, holder, registration: { body, key, artifactId } }) {
    const response = await createArtifact(service, holder, body, { key });
    return response.status === 201 && response.body.id === artifactId;
  },
  async export(world) {
    const { status, body } = await get(world, 'me/export', world.holder);
    return status === 200 && JSON.stringify(body).includes(world.secret);
  },
};

/**
 * Requests of the holder's other session, until the event that `checkStreams` lets happen in the guild arrives, or one is
 * refused. Events from before the loss may get their position late.
 */
export async function waitForEvents(world: World): Promise<() => Promise<boolean>> {
  const path = `events?organizationId=${world.guild}`;
  let { next } = (await get(world, `${path}&limit=200`, world.otherSession)).body;
  const result = (async () => {
    for (;;) {
      const { status, body } = await get(world, `${path}&after=${next}&wait=30`, world.otherSession);
      if (status !== 200) return false;
      if (body.events.some(({ type }: { type: string }) => type === 'organization.units_changed')) return true;
      ({ next } = body);
    }
  })();
  return () => result;
}

/**
 * Whether events of the guild and the studio arrive. Those that should are awaited; the others had the time in which another
 * webhook got its event, and one that happened after that.
 */
async function checkStreams(world: World, works: (id: GrantId) => boolean): Promise<Results> {
  const { service, guild, studio, holder, receivers, streams } = world;
  const [ofGuild, ofStudio, ofUser, later] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  // Written directly: in a frozen organization, and in one whose owner is gone, little happens.
  const happen = (marker: string, ids: { organizationId?: string; userId?: string }) =>
    query(
      service.databaseUrl,
      `insert into events (type, organization_id, user_id, data)
       values ('organization.units_changed', $1, $2, jsonb_build_object('from', $3::text))`,
      [ids.organizationId ?? null, ids.userId ?? null, marker],
    );
  const hasReceived = (id: keyof World['receivers'], marker: string) =>
    receivers[id].received.some(({ body }) => body.includes(marker));
  await happen(ofGuild, { organizationId: guild });
  await happen(ofStudio, { organizationId: studio });
  await happen(ofUser, { userId: holder.id });
  await waitUntil(() => hasReceived('control', ofGuild), 'another webhook has the event');
  await happen(later, { organizationId: guild });
  await waitUntil(() => hasReceived('control', later), 'another webhook has the later event');

  const deliveries: Readonly<Record<StreamingId, { arrives: () => boolean; isOver: () => boolean }>> = {
    adminWebhook: { arrives: () => hasReceived('adminWebhook', ofGuild), isOver: () => true },
    ownerWebhook: { arrives: () => hasReceived('ownerWebhook', ofStudio), isOver: () => true },
    keyWebhook: { arrives: () => hasReceived('keyWebhook', ofStudio), isOver: () => true },
    userWebhook: { arrives: () => hasReceived('userWebhook', ofGuild), isOver: () => true },
    organizationStream: {
      arrives: () => streams.organizationStream.text().includes(ofGuild),
      isOver: streams.organizationStream.isEnded,
    },
    userStream: {
      arrives: () => streams.userStream.text().includes(ofGuild),
      isOver: () => streams.userStream.isEnded() || streams.userStream.text().includes(ofUser),
    },
  };
  const results = streaming.map(async (id) => {
    const { arrives, isOver } = deliveries[id];
    await waitUntil(() => arrives() || (!works(id) && isOver()), `${id}: the event arrives, or cannot any more`);
    return [id, arrives()] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

/** Whether each grant works. `isWaiting` is the result of `waitForEvents`; `works` what the table says. */
export async function checkGrants(
  world: World,
  isWaiting: () => Promise<boolean>,
  works: (id: GrantId) => boolean,
): Promise<Results> {
  const results = Object.entries(checks).map(async ([id, check]) => [id, await check(world)] as const);
  const streams = await checkStreams(world, works);
  return { ...Object.fromEntries(await Promise.all(results)), ...streams, waitingRequest: await isWaiting() };
}

/** Whether the links of the mails work; each is used up by this. */
export async function useLinks(
  { service }: Pick<World, 'service'>,
  { verification, reset }: World['links'],
): Promise<Results> {
  const post = async (path: string, body: unknown) =>
    (await call(service, 'POST', `/api/v1/auth/${path}`, { body })).status === 204;
  return {
    verificationLink: await post('verify-email', { token: verification }),
    resetLink: await post('password-reset/confirm', { token: reset, newPassword: 'battery staple horse' }),
  };
}
