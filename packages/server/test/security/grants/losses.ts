// The ways of losing a right, through the API as the user, or another one, takes them.

import { expect } from 'vitest';
import { addMember, changeTier, createApiKey, createUser } from '../../../../../test/support/accounts.js';
import { query } from '../../../../../test/support/postgres.js';
import { call } from '../../../../../test/support/service.js';
import type { LossId } from './table.js';
import { logIn, type World } from './world.js';

const newPassword = 'staple battery horse';

export const losses: Readonly<Record<LossId, (world: World) => Promise<unknown>>> = {
  async loggedOut({ send, otherSession, provided }) {
    for (const session of [otherSession, provided]) await send(session, 'auth/logout', undefined);
  },
  async passwordChanged({ send, holder }) {
    await send(holder, 'me/password', { currentPassword: holder.password, newPassword }, 'PUT');
    holder.password = newPassword;
  },
  passwordReset: reset,
  async emailChanged({ send, holder, links, newAddress }) {
    await send(holder, 'auth/verify-email', { token: links.verification });
    holder.email = newAddress;
  },
  async unverifiedReset(world) {
    // The account that has the address then has no second factor.
    world.holder.recoveryCodes.splice(0);
    await reset(world);
  },
  async closed({ send, holder, provided }) {
    await send(holder, 'me', { password: holder.password }, 'DELETE');
    await send(provided, 'me', {}, 'DELETE');
  },
  removed: ({ send, founder, guild, holder }) =>
    send(founder, `organizations/${guild}/members/${holder.id}`, undefined, 'DELETE'),
  left: ({ send, guild, holder }) => send(holder, `organizations/${guild}/members/${holder.id}`, undefined, 'DELETE'),
  demoted: ({ send, founder, guild, holder }) =>
    send(founder, `organizations/${guild}/members/${holder.id}`, { isAdmin: false }, 'PATCH'),
  async transferred({ service, send, holder, studio }) {
    const successor = await createUser(service, 'enterprise');
    expect((await addMember(service, holder, studio, successor)).status).toBe(200);
    await send(holder, `organizations/${studio}/owner`, { userId: successor.id }, 'PUT');
  },
  async frozen({ service, founder, holder }) {
    await changeTier(service, founder, 'creator');
    await changeTier(service, holder, 'creator');
  },
  markRemoved: ({ send, founder, holder, sharedMark, foundersMark }) =>
    Promise.all(
      [sharedMark, foundersMark].map((mark) =>
        send(founder, `marks/${mark}/members/${holder.id}`, undefined, 'DELETE'),
      ),
    ),
  markLeft: ({ send, holder, sharedMark, foundersMark }) =>
    Promise.all(
      [sharedMark, foundersMark].map((mark) => send(holder, `marks/${mark}/members/${holder.id}`, undefined, 'DELETE')),
    ),
  handedOver: ({ send, founder, holder, guildMark }) =>
    send(holder, `marks/${guildMark}/admin`, { userId: founder.id }, 'PUT'),
  keyRevoked: ({ send, holder, key, studio }) =>
    send(holder, `api-keys/${key.id}?organizationId=${studio}`, undefined, 'DELETE'),
  async keyExpired({ service, holder, key, studio }) {
    // The clock of the service may be some milliseconds behind that of the database.
    await query(service.databaseUrl, "update api_keys set expires_at = now() - interval '1 second' where id = $1", [
      key.id,
    ]);
    // Also ends those that have expired, as the sweeper does within a minute.
    expect((await createApiKey(service, holder, studio)).status).toBe(201);
  },
};

async function reset({ service, send, holder, links }: World): Promise<void> {
  await send(holder, 'auth/password-reset/confirm', { token: links.reset, newPassword });
  holder.password = newPassword;
  holder.token = await logIn(service, holder);
  const { body } = await call(service, 'GET', '/api/v1/me', holder);
  expect(body.user).toMatchObject({ email: holder.email, emailVerified: true });
}
