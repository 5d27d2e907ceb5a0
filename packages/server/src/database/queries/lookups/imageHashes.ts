// Queries about the perceptual hashes of images: the pages that the index in memory is filled from, and what may be shown of its hits.

import type { Fingerprint } from '@provenance-registry/core';
import { type RawBuilder, sql } from 'kysely';
import type {
  ImageHashPage,
  ImageHashRecords,
  ImageHashSource,
  NewArtifact,
  SearchedArtifact,
  SequenceRange,
  VisibleArtifact,
} from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

/** Columns in the order of `imageHashKinds`. */
const HASH_COLUMNS = ['p_hash', 'p_hash_center_90', 'p_hash_center_80', 'd_hash'] as const;
const BIGINT_BYTES = 8;

export class ImageHashQueries extends Queries implements ImageHashRecords, ImageHashSource {
  async findVisible(sequences: readonly number[]) {
    const { rows } = await sql<VisibleArtifact & { readonly sequence: number }>`
      select
        sequence::float8 as sequence, artifacts.id as "artifactId", ${fingerprintText} as fingerprint,
        mark_id as "markId", artifacts.created_at as "createdAt", coalesce(metadata ->> 'hashesBy', 'service') as "hashesBy"
      from image_codes join artifacts on artifacts.id = artifact_id join marks on marks.id = mark_id
      where sequence = any(${sequences}::bigint[])
        and error_reason is null and not content_private and visibility = 'public'`.execute(this.database);
    return new Map(rows.map(({ sequence, ...image }) => [sequence, image]));
  }

  async listOfMark({ markId, after, limit }: Parameters<ImageHashRecords['listOfMark']>[0]) {
    const isOfMark = sql`mark_id = ${markId} and rendition_of is null`;
    if (after !== undefined) {
      const { rows } = await sql`select 1 from artifacts where id = ${after} and ${isOfMark}`.execute(this.database);
      if (rows.length === 0) return undefined;
    }
    const isAfter =
      after === undefined
        ? sql``
        : sql`and (created_at, id) < (select created_at, id from artifacts where id = ${after})`;
    const { rows } = await sql<SearchedRow>`
      select
        id as "artifactId", ${fingerprintText} as fingerprint, metadata ->> 'filename' as filename,
        created_at as "createdAt", ${hexText(sql`p_hash`)} as "pHash", ${hexText(sql`d_hash`)} as "dHash",
        ${hexText(sql`p_hash_center_90`)} as "pHashCenter90", ${hexText(sql`p_hash_center_80`)} as "pHashCenter80",
        metadata ->> 'chromaprint' as chromaprint
      from artifacts left join image_codes on artifact_id = id
      where ${isOfMark} and error_reason is null ${isAfter}
      order by created_at desc, id desc limit ${limit}`.execute(this.database);
    return rows.map(toSearchedArtifact);
  }

  /** Reads many hashes in a few values: a row for each would take longer than the scan of it. */
  private async readPage(rows: RawBuilder<unknown>): Promise<ImageHashPage> {
    const columns = ['sequence', ...HASH_COLUMNS].map(
      (column) =>
        sql`coalesce(string_agg(int8send(coalesce(${sql.ref(column)}, 0)), ''::bytea), ''::bytea) as ${sql.ref(column)}`,
    );
    const result = await sql<PageRow>`select ${sql.join(columns)} from (${rows}) page`.execute(this.database);
    const [page] = result.rows;
    if (!page) throw new Error('an aggregate without a row');
    return { sequences: readSequences(page.sequence), hashes: HASH_COLUMNS.map((column) => page[column]) };
  }

  readAfter(sequence: number, limit: number) {
    return this.readPage(sql`select * from image_codes where sequence > ${sequence} order by sequence limit ${limit}`);
  }

  readRanges(ranges: readonly SequenceRange[]) {
    return this.readPage(sql`
      select image_codes.*
      from unnest(${ranges.map(({ from }) => from)}::bigint[], ${ranges.map(({ to }) => to)}::bigint[]) as asked (first, stop)
      join image_codes on sequence >= first and sequence < stop
      order by sequence`);
  }

  async readChecksum({ from, to }: SequenceRange) {
    const sums = HASH_COLUMNS.map(
      (column) => sql`encode(int8send(coalesce(bit_xor(${sql.ref(column)}), 0)), 'hex') as ${sql.ref(column)}`,
    );
    const result = await sql<Record<(typeof HASH_COLUMNS)[number], string> & { readonly count: number }>`
      select count(*)::float8 as count, ${sql.join(sums)}
      from image_codes where sequence >= ${from} and sequence < ${to}`.execute(this.database);
    const [row] = result.rows;
    return { count: row?.count ?? 0, hashes: HASH_COLUMNS.map((column) => row?.[column] ?? '') };
  }
}

const fingerprintText = sql<Fingerprint>`'0x' || encode(fingerprint, 'hex')`;

function hexText(code: RawBuilder<unknown>) {
  return sql`'0x' || encode(int8send(${code}), 'hex')`;
}

interface SearchedRow {
  readonly artifactId: string;
  readonly fingerprint: Fingerprint;
  readonly filename: string | null;
  readonly createdAt: Date;
  readonly pHash: string | null;
  readonly dHash: string | null;
  readonly pHashCenter90: string | null;
  readonly pHashCenter80: string | null;
  readonly chromaprint: string | null;
}

function toSearchedArtifact(row: SearchedRow): SearchedArtifact {
  const { artifactId, fingerprint, createdAt, filename, chromaprint, dHash } = row;
  const hashes = [row.pHash, row.pHashCenter90, row.pHashCenter80].filter((hash) => hash !== null);
  return {
    artifactId,
    fingerprint,
    createdAt,
    filename: filename ?? undefined,
    images: hashes.map((pHash) => ({ pHash, dHash: dHash ?? undefined })),
    chromaprint: chromaprint ?? undefined,
  };
}

type PageRow = { readonly sequence: Uint8Array } & Readonly<Record<(typeof HASH_COLUMNS)[number], Uint8Array>>;

function readSequences(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(
    { length: bytes.length / BIGINT_BYTES },
    // Below 2⁵³, so that numbers are exact.
    (_, index) => view.getUint32(index * BIGINT_BYTES) * 2 ** 32 + view.getUint32(index * BIGINT_BYTES + 4),
  );
}

/**
 * Part of the statement that records Artifacts. Most files are not images, and images without features have only a `pHash`
 * of the service. The order is that of the batch.
 */
export function insertImageHashes(artifacts: readonly NewArtifact[], isRecorded: RawBuilder<unknown>) {
  return artifacts.some(({ metadata }) => metadata.pHash !== undefined)
    ? sql`
      insert into image_codes (artifact_id, p_hash, d_hash, p_hash_center_90, p_hash_center_80)
      select id, image_code(metadata ->> 'pHash'), image_code(metadata ->> 'dHash'),
        image_code(metadata ->> 'pHashCenter90'), image_code(metadata ->> 'pHashCenter80')
      from input
      where metadata ->> 'pHash' is not null and (metadata ->> 'dHash' is not null or metadata ->> 'hashesBy' = 'client')
        and ${isRecorded}`
    : sql`select 1`;
}
