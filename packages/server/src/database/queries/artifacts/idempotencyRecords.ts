// Queries about idempotency records: the responses kept for retries with the same idempotency key.

import type { IdempotencyRecords } from '../../../domain/ports/index.js';
import { hex } from '../../bytes.js';
import type { Database } from '../../connection.js';

export function idempotencyRecordQueries(database: Database): IdempotencyRecords {
  return {
    async find(callerId, key, since) {
      const row = await database
        .selectFrom('idempotency_keys')
        .select(['request_hash', 'response'])
        .where('caller_id', '=', callerId)
        .where('key', '=', key)
        .where('created_at', '>=', since)
        .executeTakeFirst();
      return row && { requestHash: hex(row.request_hash), response: row.response };
    },

    async deleteOlderThan(date) {
      await database.deleteFrom('idempotency_keys').where('created_at', '<', date).execute();
    },
  };
}
