// Queries about users.

import type { Tier, User } from '@provenance-registry/core';
import { sql } from 'kysely';
import pg from 'pg';
import type { NewProviderUser, Users } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import type { Tables } from '../../schema.js';
import { Queries } from '../queries.js';

const columns = ['id', 'email', 'name', 'tier', 'email_verified as emailVerified', 'has_totp as hasTotp'] as const;
const columnList = sql.raw('id, email, name, tier, email_verified as "emailVerified", has_totp as "hasTotp"');

/** Shown wherever the user appeared. */
const CLOSED_NAME = 'Closed account';
const UNIQUE_VIOLATION = '23505';

type NewUserRow = Pick<Tables['users'], 'id' | 'email' | 'name' | 'password_hash' | 'issuer' | 'subject'>;

export class UserQueries extends Queries implements Users {
  /** Inserts the user with its counters; undefined when the email address or the provider's subject is in use. */
  private async insertRow(row: NewUserRow): Promise<User | undefined> {
    const { rows } = await sql<User>`
    with created as (
      insert into users (id, email, name, password_hash, issuer, subject, email_verified)
      values (
        ${row.id}, ${row.email}, ${row.name}, ${row.password_hash}, ${row.issuer}, ${row.subject},
        ${row.issuer !== null && row.email !== null}
      )
      on conflict do nothing returning ${columnList}
    ), counted as (
      insert into counters (owner_id) select id from created
    ) select * from created`.execute(this.database);
    return rows[0];
  }

  private findProviderUser({ issuer, subject }: NewProviderUser): Promise<User | undefined> {
    return this.database
      .selectFrom('users')
      .select(columns)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
  }

  insert({ id, email, name, passwordHash }: { id: string; email: string; name: string; passwordHash: string }) {
    return this.insertRow({ id, email, name, password_hash: passwordHash, issuer: null, subject: null });
  }

  readonly findById = batchLoad(async (ids: readonly string[]) => {
    const { rows } = await sql<User>`
      select ${columnList} from users where id = any(${ids}::uuid[]) and closed_at is null`.execute(this.database);
    return new Map(rows.map((user) => [user.id, user]));
  });

  findByEmail(email: string) {
    return this.database
      .selectFrom('users')
      .select([...columns, 'password_hash as passwordHash', 'tokens_not_before as tokensNotBefore'])
      .where('email', '=', email)
      .executeTakeFirst();
  }

  async findOrInsertProviderUser(user: NewProviderUser) {
    const row = { ...user, password_hash: null };
    const account =
      (await this.findProviderUser(user)) ??
      (await this.insertRow(row)) ??
      // A concurrent request created this user, or the email address belongs to another account.
      (await this.findProviderUser(user)) ??
      (await this.insertRow({ ...row, email: null })) ??
      (await this.findProviderUser(user));
    if (!account) throw new Error('a user of the provider can neither be found nor created');
    return account;
  }

  lock(id: string, what: 'tier' | 'all') {
    const user = this.database.selectFrom('users').select(columns).where('id', '=', id).where('closed_at', 'is', null);
    return (what === 'all' ? user.forNoKeyUpdate() : user.forShare()).executeTakeFirst();
  }

  async setTier(id: string, tier: Tier) {
    await this.database.updateTable('users').set({ tier }).where('id', '=', id).execute();
  }

  async setName(id: string, name: string) {
    await this.database.updateTable('users').set({ name }).where('id', '=', id).execute();
  }

  async findPasswordHash(id: string) {
    const user = this.database.selectFrom('users').select('password_hash').where('id', '=', id);
    return (await user.executeTakeFirst())?.password_hash ?? undefined;
  }

  async close(id: string, at: Date) {
    await this.database
      .updateTable('users')
      .set({ email: null, password_hash: null, issuer: null, subject: null, name: CLOSED_NAME })
      .set({ email_verified: false, has_totp: false, closed_at: at })
      .where('id', '=', id)
      .execute();
    // Ended sessions stay until their tokens expire, so that a provider's token is not taken for that of a new user.
    await this.database.updateTable('sessions').set({ user_agent: null }).where('user_id', '=', id).execute();
    await this.database.deleteFrom('idempotency_keys').where('caller_id', '=', id).execute();
  }

  async replacePasswordHash(id: string, oldHash: string, newHash: string) {
    await this.database
      .updateTable('users')
      .set({ password_hash: newHash })
      .where('id', '=', id)
      .where('password_hash', '=', oldHash)
      .execute();
  }

  async setPasswordHash(id: string, hash: string) {
    await this.database.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute();
  }

  async markEmailVerified(id: string) {
    await this.database.updateTable('users').set({ email_verified: true }).where('id', '=', id).execute();
  }

  async replaceEmail(id: string, email: string, isVerified: boolean) {
    try {
      await this.database
        .updateTable('users')
        .set({ email, email_verified: isVerified })
        .where('id', '=', id)
        .execute();
      return true;
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }
}

/** Part of the statement that records Artifacts: until it is committed, the user's tier does not change. */
export function lockBillingUser(id: string) {
  return sql`select tier from users where id = ${id} and closed_at is null for share`;
}
