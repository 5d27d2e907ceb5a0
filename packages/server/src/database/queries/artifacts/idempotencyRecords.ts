// Queries about idempotency records: the responses kept for retries with the same idempotency key.

import { sql } from 'kysely';
import type { IdempotencyRecords } from '../../../domain/ports/index.js';
import { hex } from '../../bytes.js';
import { Queries } from '../queries.js';

export class IdempotencyRecordQueries extends Queries implements IdempotencyRecords {
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

/** Part of the statement that records Artifacts. An expired record is replaced; another one refuses the Artifact. */
export const saveIdempotencyRecords = sql`
  insert into idempotency_keys (caller_id, key, request_hash, response)
  select caller_id, key, request_hash, response
  from input where key is not null and id in (select id from inserted_artifacts)
  on conflict (caller_id, key) do update
    set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
    where idempotency_keys.created_at < (select min(since) from input)
  returning 1`;
