// Queries about the addresses that mail was sent to: which are new for an account, and which want no more.

import type { MailPurpose, MailRecipients } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class MailRecipientQueries extends Queries implements MailRecipients {
  async remember(userId: string, purpose: MailPurpose, addressHash: Uint8Array) {
    const { numInsertedOrUpdatedRows } = await this.database
      .insertInto('mailed_addresses')
      .values({ user_id: userId, purpose, address_hash: addressHash })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async forgetAllOf(userId: string) {
    await this.database.deleteFrom('mailed_addresses').where('user_id', '=', userId).execute();
  }

  async isStopped(addressHash: Uint8Array) {
    const stop = await this.database
      .selectFrom('mail_stops')
      .select('stopped_at')
      .where('address_hash', '=', addressHash)
      .executeTakeFirst();
    return stop !== undefined;
  }

  async stop(addressHash: Uint8Array) {
    await this.database
      .insertInto('mail_stops')
      .values({ address_hash: addressHash })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async allow(addressHash: Uint8Array) {
    await this.database.deleteFrom('mail_stops').where('address_hash', '=', addressHash).execute();
  }
}
