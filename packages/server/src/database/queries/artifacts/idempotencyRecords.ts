// Queries about idempotency records: the responses kept for retries with the same idempotency key.

import { Artifact } from '@provenance-registry/core';
import { sql } from 'kysely';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { IdempotencyRecords } from '../../../domain/ports/index.js';
import { hex } from '../../bytes.js';
import { Queries } from '../queries.js';

/** What the responses of all releases have in common. */
const AnyForm = Type.Object({ id: Type.String() });

export class IdempotencyRecordQueries extends Queries implements IdempotencyRecords {
  async find(callerId: string, key: string, since: Date) {
    const row = await this.database
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'response'])
      .where('caller_id', '=', callerId)
      .where('key', '=', key)
      .where('created_at', '>=', since)
      .executeTakeFirst();
    if (!row) return undefined;
    const { response } = row;
    return {
      requestHash: hex(row.request_hash),
      response: Value.Check(Artifact, response) ? response : undefined,
      artifactId: Value.Parse(AnyForm, response).id,
    };
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
