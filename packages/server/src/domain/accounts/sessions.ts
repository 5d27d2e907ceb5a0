// Sessions: log-in and sign-up start one; ending it makes its token worthless.

import { randomUUID } from 'node:crypto';
import { type NewSession, RegistryError, type Session, type User } from '@provenance-registry/core';
import { type Caller, type Origin, requireUserSession } from '../caller.js';
import type { Ports, Store } from '../ports/index.js';

/** Clocks of processes and providers differ: an ended session must not be deleted while its token may be accepted. */
const DELETION_DELAY_MS = 60 * 60 * 1000;

/**
 * `tokensNotBefore` as it was read before the user's password was checked: a log-in that is under way while all sessions
 * are ended, as by a change of the password, fails.
 */
export async function startSession(
  { tokens, clock }: Pick<Ports, 'tokens' | 'clock'>,
  store: Store,
  user: User,
  { tokensNotBefore, origin }: { tokensNotBefore: Date | null; origin: Origin },
): Promise<NewSession> {
  const now = clock();
  const id = randomUUID();
  const { token, expiresAt } = await tokens.issue(user.id, id, now);
  const { userAgent } = origin;
  const session = { id, userId: user.id, createdAt: now, lastUsedAt: now, expiresAt, userAgent, tokensNotBefore };
  if (!(await store.sessions.insert(session))) {
    throw new RegistryError('UNAUTHORIZED', 'All sessions of this account were just ended. Log in again.');
  }
  return { user, token, expiresAt: expiresAt.toISOString() };
}

export async function listSessions({ store, clock }: Ports, caller: Caller): Promise<Session[]> {
  const current = requireUserSession(caller);
  const sessions = await store.sessions.list(caller.user.id, clock());
  return sessions.map((session) => ({ ...session, current: session.id === current.id }));
}

export async function logOut({ store, clock }: Ports, caller: Caller): Promise<void> {
  await store.sessions.end(caller.user.id, requireUserSession(caller).id, clock());
}

export async function endSession({ store, clock }: Ports, caller: Caller, id: string): Promise<void> {
  requireUserSession(caller);
  await store.transaction(async ({ sessions, events }) => {
    if (!(await sessions.end(caller.user.id, id, clock()))) {
      throw new RegistryError('NOT_FOUND', 'You have no such session.');
    }
    await events.append({ ...sessionsEnded(caller), data: { sessions: 1 } });
  });
}

export async function endSessions({ store }: Ports, caller: Caller, { keepCurrent = false }): Promise<void> {
  const current = requireUserSession(caller);
  await store.transaction(async ({ sessions, events }) => {
    const count = await sessions.endAll(caller.user.id, keepCurrent ? current.id : undefined);
    if (count > 0) await events.append({ ...sessionsEnded(caller), data: { sessions: count } });
  });
}

export async function deleteExpiredSessions({ store, clock }: Ports): Promise<void> {
  await store.sessions.deleteExpired(new Date(clock().getTime() - DELETION_DELAY_MS));
}

function sessionsEnded({ user: { id } }: Caller) {
  return { type: 'account.sessions_ended', actorId: id, userId: id } as const;
}
