// Lists what search engines may index, by ranges of keys.

import { sql } from 'kysely';
import type { Sitemap, SitemapQuery } from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import { Queries } from '../queries.js';

const DIGEST_DIGITS = 64;

export class SitemapQueries extends Queries implements Sitemap {
  async estimateCounts() {
    const { rows } = await sql<{ artifacts: number; marks: number }>`
      select
        (select reltuples from pg_class where oid = 'artifacts'::regclass) as artifacts,
        (select reltuples from pg_class where oid = 'marks'::regclass) as marks`.execute(this.database);
    return rows[0] ?? { artifacts: 0, marks: 0 };
  }

  async listArtifacts({ prefix, limit }: SitemapQuery) {
    // The index has all of it, and private Marks have an index of their own.
    const { rows } = await sql<{ fingerprint: Uint8Array }>`
      select fingerprint from artifacts
      where fingerprint between ${bytes(`0x${prefix.padEnd(DIGEST_DIGITS, '0')}`)}
          and ${bytes(`0x${prefix.padEnd(DIGEST_DIGITS, 'f')}`)}
        and error_reason is null and rendition_of is null
        and not exists (select 1 from marks where marks.id = mark_id and visibility = 'private')
      order by fingerprint limit ${limit}`.execute(this.database);
    return rows.map(({ fingerprint }) => hex(fingerprint));
  }

  async listMarks({ prefix, limit }: SitemapQuery) {
    const { rows } = await sql<{ id: string }>`
      select id from marks
      where id between ${toUuid(prefix.padEnd(32, '0'))} and ${toUuid(prefix.padEnd(32, 'f'))}
        and visibility = 'public'
      order by id limit ${limit}`.execute(this.database);
    return rows.map(({ id }) => id);
  }
}

function toUuid(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
