// Queries of the audit about mirrored entries.

import { sql } from 'kysely';
import type { Hex, MirroredEntry, MirrorRows } from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';
import { insertEntries, recountCurated } from './chainMirror.js';

interface ResolvedRow {
  readonly fingerprint: Uint8Array;
  readonly source: number;
  readonly manifest_id: string | null;
  readonly manifest_hash: Uint8Array;
  readonly registered_by: Uint8Array;
  readonly endpoints: string[];
  readonly seconds: string;
}

export class MirrorRowQueries extends Queries implements MirrorRows {
  async readRange() {
    const row = await this.database
      .selectFrom('chain_mirror')
      .select(['first_block', 'mirrored_block'])
      .executeTakeFirst();
    return row && { from: BigInt(row.first_block), to: BigInt(row.mirrored_block) };
  }

  async listFingerprints(after: Hex | undefined, limit: number) {
    const rows = await this.database
      .selectFrom('chain_entries')
      .select('fingerprint')
      .distinct()
      .$if(after !== undefined, (query) => query.where('fingerprint', '>', bytes(after ?? '0x')))
      .orderBy('fingerprint')
      .limit(limit)
      .execute();
    return rows.map(({ fingerprint }) => hex(fingerprint));
  }

  async readResolved(fingerprints: readonly Hex[]) {
    const { rows } = await sql<ResolvedRow>`
      select distinct on (fingerprint) fingerprint, source, manifest_id, manifest_hash, registered_by,
        coalesce(case source when 2 then endpoints else (
          select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1) end, '{}') as endpoints,
        extract(epoch from registered_at)::bigint as seconds
      from chain_entries where fingerprint = any(${fingerprints.map(bytes)})
      order by fingerprint, source`.execute(this.database);
    return new Map(
      rows.map((row) => [
        hex(row.fingerprint),
        {
          source: row.source === 1 ? ('curated' as const) : ('public' as const),
          manifestId: row.manifest_id,
          manifestHash: hex(row.manifest_hash),
          registeredBy: hex(row.registered_by),
          endpoints: row.endpoints,
          timestamp: Number(row.seconds),
        },
      ]),
    );
  }

  replace(fingerprint: Hex, entry: MirroredEntry | undefined) {
    return this.database.transaction().execute(async (transaction) => {
      // The worker changes the mirror under the same lock.
      await transaction.selectFrom('chain_mirror').select('only_row').forUpdate().execute();
      await removeRows(transaction, fingerprint, entry);
      if (entry) await insertEntries(transaction, [entry]);
      await recountCurated(transaction);
    });
  }
}

/** A public entry beside a curated one stays: a reorganization may remove that. */
async function removeRows(transaction: Database, fingerprint: Hex, entry: MirroredEntry | undefined): Promise<void> {
  await transaction
    .deleteFrom('chain_entries')
    .where('fingerprint', '=', bytes(fingerprint))
    .$if(entry?.source === 'curated', (query) => query.where('source', '=', 1))
    .execute();
}
