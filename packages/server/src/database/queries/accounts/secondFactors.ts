// Queries about second factors. Callers have locked the user.

import { sql } from 'kysely';
import type { SecondFactors } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

export function secondFactorQueries(database: Database): SecondFactors {
  const update = (userId: string) => database.updateTable('second_factors').where('user_id', '=', userId);
  const setHasTotp = (userId: string, hasTotp: boolean) =>
    database.updateTable('users').set({ has_totp: hasTotp }).where('id', '=', userId).execute();

  return {
    async start(userId, secret) {
      await database
        .insertInto('second_factors')
        .values({ user_id: userId, secret })
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet({ secret }).where('second_factors.confirmed_at', 'is', null),
        )
        .execute();
    },

    async find(userId) {
      const row = await database
        .selectFrom('second_factors')
        .select(['secret', 'confirmed_at', 'last_step', 'failures', 'blocked_until'])
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return (
        row && {
          userId,
          secret: row.secret,
          isConfirmed: row.confirmed_at !== null,
          lastStep: Number(row.last_step),
          failures: row.failures,
          blockedUntil: row.blocked_until,
        }
      );
    },

    async confirm(userId, { at, step, recoveryCodeHashes }) {
      await update(userId)
        .set({ confirmed_at: at, last_step: step, recovery_code_hashes: recoveryCodeHashes })
        .execute();
      await setHasTotp(userId, true);
    },

    async recordStep(userId, step) {
      await update(userId).set({ last_step: step, failures: 0, blocked_until: null }).execute();
    },

    async recordFailure(userId, blockedUntil) {
      await update(userId)
        .set({ failures: sql`failures + 1`, ...(blockedUntil && { blocked_until: blockedUntil }) })
        .execute();
    },

    async takeRecoveryCode(userId, hash) {
      const { numUpdatedRows } = await update(userId)
        .set({ recovery_code_hashes: sql`array_remove(recovery_code_hashes, ${hash}::bytea)` })
        .where(sql<boolean>`${hash}::bytea = any(recovery_code_hashes)`)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async delete(userId) {
      await database.deleteFrom('second_factors').where('user_id', '=', userId).execute();
      await setHasTotp(userId, false);
    },
  };
}
