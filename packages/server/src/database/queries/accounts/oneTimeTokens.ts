// Queries about one-time tokens: the links that verify an address or reset a password.

import type { NewOneTimeToken, OneTimePurpose, OneTimeTokens } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

const columns = ['id', 'user_id as userId', 'email', 'created_at as requestedAt', 'expires_at as expiresAt'] as const;

export class OneTimeTokenQueries extends Queries implements OneTimeTokens {
  async insert({ id, purpose, tokenHash, userId, email, requestedAt, expiresAt }: NewOneTimeToken) {
    await this.database
      .insertInto('one_time_tokens')
      .values({
        id,
        purpose,
        token_hash: tokenHash,
        user_id: userId,
        email,
        created_at: requestedAt,
        expires_at: expiresAt,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at: expiresAt }))
      .execute();
  }

  find(id: string) {
    return this.database.selectFrom('one_time_tokens').select(columns).where('id', '=', id).executeTakeFirst();
  }

  findByHash(purpose: OneTimePurpose, tokenHash: Uint8Array) {
    return this.database
      .selectFrom('one_time_tokens')
      .select(columns)
      .where('token_hash', '=', tokenHash)
      .where('purpose', '=', purpose)
      .executeTakeFirst();
  }

  listOf(userId: string, purpose: OneTimePurpose) {
    return this.database
      .selectFrom('one_time_tokens')
      .select(columns)
      .where('user_id', '=', userId)
      .where('purpose', '=', purpose)
      .orderBy('created_at', 'desc')
      .execute();
  }

  async requestAgain(id: string, at: Date) {
    await this.database.updateTable('one_time_tokens').set({ created_at: at }).where('id', '=', id).execute();
  }

  async delete(id: string) {
    await this.database.deleteFrom('one_time_tokens').where('id', '=', id).execute();
  }

  async deleteOf(userId: string, purpose?: OneTimePurpose) {
    const tokens = this.database.deleteFrom('one_time_tokens').where('user_id', '=', userId);
    await (purpose === undefined ? tokens : tokens.where('purpose', '=', purpose)).execute();
  }

  async deleteExpired(now: Date) {
    await this.database.deleteFrom('one_time_tokens').where('expires_at', '<', now).execute();
  }
}
