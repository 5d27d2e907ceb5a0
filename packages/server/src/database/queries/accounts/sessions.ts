// Queries about sessions.

import type { User } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { NewSessionRow, Sessions, StoredSession } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import type { Database } from '../../connection.js';
import type { UseBuffer } from '../../useBuffer.js';

type FoundRow = User & { sessionId: string; lastUsedAt: Date; isActive: boolean };

export class SessionQueries implements Sessions {
  constructor(
    private readonly database: Database,
    private readonly uses: UseBuffer<Date>,
  ) {}

  /** The user's row is locked, so that `endAll` either comes before and is seen, or comes after and sees the session. */
  private async insertIf({ id, userId, ...session }: NewSessionRow, condition: ReturnType<typeof sql>) {
    const { numAffectedRows } = await sql`
    insert into sessions (id, user_id, created_at, expires_at, last_used_at, user_agent)
    select ${id}, id, ${session.createdAt}, ${session.expiresAt}, ${session.lastUsedAt}, ${session.userAgent}
    from users where id = ${userId} and closed_at is null and ${condition} for share
    on conflict do nothing`.execute(this.database);
    return numAffectedRows === 1n;
  }

  insert({ tokensNotBefore, ...session }: NewSessionRow & { readonly tokensNotBefore: Date | null }) {
    return this.insertIf(session, sql`tokens_not_before is not distinct from ${tokensNotBefore}::timestamptz`);
  }

  async adopt(session: NewSessionRow) {
    await this.insertIf(
      session,
      sql`(tokens_not_before is null or tokens_not_before < ${session.createdAt}::timestamptz)`,
    );
  }

  readonly find = batchLoad(async (ids: readonly string[]) => {
    const { rows } = await sql<FoundRow>`
      select session.id as "sessionId", session.last_used_at as "lastUsedAt",
        session.ended_at is null and account.closed_at is null as "isActive",
        account.id, account.email, account.name, account.tier,
        account.email_verified as "emailVerified", account.has_totp as "hasTotp"
      from sessions session join users account on account.id = session.user_id
      where session.id = any(${ids}::uuid[])`.execute(this.database);
    return new Map(
      rows.map(({ sessionId, lastUsedAt, isActive, ...user }): [string, StoredSession] => [
        sessionId,
        { user, lastUsedAt, isActive },
      ]),
    );
  });

  async list(userId: string, now: Date) {
    await this.uses.flush();
    const rows = await this.database
      .selectFrom('sessions')
      .select(['id', 'created_at', 'last_used_at', 'user_agent'])
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(({ id, created_at, last_used_at, user_agent }) => ({
      id,
      createdAt: created_at.toISOString(),
      lastUsedAt: last_used_at.toISOString(),
      userAgent: user_agent,
    }));
  }

  async end(userId: string, id: string, now: Date) {
    const { numUpdatedRows } = await this.database
      .updateTable('sessions')
      .set({ ended_at: now })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async endAll(userId: string, exceptSessionId?: string) {
    // First: sessions that are being started now are visible to the next statement.
    await this.database
      .updateTable('users')
      .set({ tokens_not_before: sql`clock_timestamp()` })
      .where('id', '=', userId)
      .execute();
    let sessions = this.database
      .updateTable('sessions')
      .set({ ended_at: sql`now()` })
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null);
    if (exceptSessionId !== undefined) sessions = sessions.where('id', '!=', exceptSessionId);
    return Number((await sessions.executeTakeFirstOrThrow()).numUpdatedRows);
  }

  recordUse(id: string, at: Date) {
    this.uses.record(id, at);
  }

  async deleteExpired(before: Date) {
    await this.database.deleteFrom('sessions').where('expires_at', '<', before).execute();
  }
}
