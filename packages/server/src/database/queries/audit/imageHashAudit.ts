// Queries of the audit about the codes of images: the table is derived from the metadata of Artifacts.

import { sql } from 'kysely';
import type { ImageHashDifference } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

/** Condition on a row of `artifacts`: whether the table may have its hashes. */
const hasCodes = sql`(
  rendition_of is null and coalesce(metadata ->> 'pHash' ~ '^0x[0-9a-f]{16}$', false)
  and metadata ->> 'pHash' not in ('0x0000000000000000', '0xffffffffffffffff')
)`;
/** An image without features has only a `pHash` of the service, as have those that were registered before the other codes. */
const isSearchable = sql`(
  ${hasCodes} and (metadata ->> 'dHash' is not null or metadata ->> 'hashesBy' is not distinct from 'client')
)`;
/** The hashes in the order of the columns below. */
const hashesOfMetadata = sql.join(
  ['pHash', 'dHash', 'pHashCenter90', 'pHashCenter80'].map((name) => sql`image_code(metadata ->> ${sql.lit(name)})`),
);
const columns = sql.raw('p_hash, d_hash, p_hash_center_90, p_hash_center_80');

/** Finds those of the Artifacts whose hashes in the table differ from their metadata. */
export async function findImageHashDifferences(
  database: Database,
  ids: readonly string[],
): Promise<ImageHashDifference[]> {
  const { rows } = await sql<ImageHashDifference>`
    select id as "artifactId",
      case when p_hash is null then 'missing' when ${hasCodes} then 'different' else 'unknown' end as problem
    from artifacts left join image_codes on artifact_id = id
    where id = any(${ids}::uuid[]) and case
      when p_hash is null then ${isSearchable}
      when ${hasCodes} then (${columns}) is distinct from (${hashesOfMetadata}) else true end`.execute(database);
  return rows;
}

/** Derives the codes of an Artifact again. They get a new sequence, by which processes notice them. */
export async function deriveImageHashes(database: Database, artifactId: string): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const locked = await sql`select 1 from artifacts where id = ${artifactId} for update`.execute(transaction);
    const differences = await findImageHashDifferences(transaction, [artifactId]);
    if (locked.rows.length === 0 || differences.length === 0) return false;
    await sql`delete from image_codes where artifact_id = ${artifactId}`.execute(transaction);
    await sql`
      insert into image_codes (artifact_id, ${columns})
      select id, ${hashesOfMetadata} from artifacts where id = ${artifactId} and ${hasCodes}`.execute(transaction);
    return true;
  });
}
