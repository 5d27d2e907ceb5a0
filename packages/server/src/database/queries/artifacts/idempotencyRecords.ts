// Queries about idempotency records: the responses kept for retries with the same idempotency key.

import type { IdempotencyRecords } from '../../../domain/ports/index.js';
import { hex } from '../../bytes.js';
import type { Database } from '../../connection.js';

export class IdempotencyRecordQueries implements IdempotencyRecords {
  constructor(private readonly database: Database) {}

  async find(callerId: string, key: string, since: Date) {
    const row = await this.database
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'response'])
      .where('caller_id', '=', callerId)
      .where('key', '=', key)
      .where('created_at', '>=', since)
      .executeTakeFirst();
    return row && { requestHash: hex(row.request_hash), response: row.response };
  }

  async deleteOlderThan(date: Date) {
    await this.database.deleteFrom('idempotency_keys').where('created_at', '<', date).execute();
  }
}
