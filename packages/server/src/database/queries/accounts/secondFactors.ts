// Queries about second factors. Callers have locked the user.

import { sql } from 'kysely';
import type { SecondFactors } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class SecondFactorQueries extends Queries implements SecondFactors {
  private update(userId: string) {
    return this.database.updateTable('second_factors').where('user_id', '=', userId);
  }

  private setHasTotp(userId: string, hasTotp: boolean) {
    return this.database.updateTable('users').set({ has_totp: hasTotp }).where('id', '=', userId).execute();
  }

  async start(userId: string, secret: Uint8Array) {
    await this.database
      .insertInto('second_factors')
      .values({ user_id: userId, secret })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet({ secret }).where('second_factors.confirmed_at', 'is', null),
      )
      .execute();
  }

  async find(userId: string) {
    const row = await this.database
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
  }

  async confirm(
    userId: string,
    { at, step, recoveryCodeHashes }: { at: Date; step: number; recoveryCodeHashes: Uint8Array[] },
  ) {
    await this.update(userId)
      .set({ confirmed_at: at, last_step: step, recovery_code_hashes: recoveryCodeHashes })
      .execute();
    await this.setHasTotp(userId, true);
  }

  async recordStep(userId: string, step: number) {
    await this.update(userId).set({ last_step: step, failures: 0, blocked_until: null }).execute();
  }

  async recordFailure(userId: string, blockedUntil: Date | undefined) {
    await this.update(userId)
      .set({ failures: sql`failures + 1`, ...(blockedUntil && { blocked_until: blockedUntil }) })
      .execute();
  }

  async takeRecoveryCode(userId: string, hash: Uint8Array) {
    const { numUpdatedRows } = await this.update(userId)
      .set({ recovery_code_hashes: sql`array_remove(recovery_code_hashes, ${hash}::bytea)` })
      .where(sql<boolean>`${hash}::bytea = any(recovery_code_hashes)`)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async delete(userId: string) {
    await this.database.deleteFrom('second_factors').where('user_id', '=', userId).execute();
    await this.setHasTotp(userId, false);
  }
}
