// Queries about the leaves of the public log, as they are written, and what they hide.

import { type Fingerprint, LogOpening } from '@provenance-registry/core';
import { type RawBuilder, sql } from 'kysely';
import { Value } from 'typebox/value';
import type { Hex, LogRecords, NewArtifact, NewLogEntry, NewLogOpening } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';

export class LogEntryQueries extends Queries implements LogRecords {
  async append(entry: NewLogEntry) {
    await sql`with inserted_log_entry as (${insertLogEntry(entry)}) ${insertLogOpening(entry)}`.execute(this.database);
  }

  /** All who wait for receipts ask again and again, at about the same times. */
  readonly findLeafIndex = batchLoad((fingerprints: readonly Fingerprint[]) =>
    findLeafIndexes(this.database, fingerprints),
  );

  async findOpening(hidden: Hex): Promise<LogOpening | undefined> {
    const row = await this.database
      .selectFrom('log_openings')
      .select('opening')
      .where('hidden', '=', bytes(hidden))
      .executeTakeFirst();
    return Value.Check(LogOpening, row?.opening) ? row.opening : undefined;
  }

  async deleteOpeningsOf(userId: string) {
    await sql`
      delete from log_openings
      where user_id = ${userId} or mark_id in (select id from marks where owner_id = ${userId})`.execute(this.database);
  }
}

/** The last index of each file that has one. */
export async function findLeafIndexes(
  database: Database,
  fingerprints: readonly Fingerprint[],
): Promise<Map<Fingerprint, number>> {
  const { rows } = await sql<{ fingerprint: Uint8Array; index: string }>`
    select fingerprint, max(leaf_index) as index from log_leaves
    where fingerprint = any(${fingerprints.map(bytes)}::bytea[]) group by fingerprint`.execute(database);
  return new Map(rows.map(({ fingerprint, index }) => [hex(fingerprint), Number(index)]));
}

/** @param source `from …` what has a row if the leaf is to be written */
export function insertLogEntry({ kind, leaf, fingerprint }: NewLogEntry, source = sql``) {
  return sql`
    insert into log_entries (kind, leaf, fingerprint)
    select ${kind}::text, ${leaf}::text, ${fingerprint === undefined ? null : bytes(fingerprint)}::bytea ${source}`;
}

export function insertLogOpening({ opening }: NewLogEntry, source = sql``) {
  return opening
    ? sql`
      insert into log_openings (hidden, opening, mark_id, user_id)
      select ${bytes(opening.hidden)}::bytea, ${JSON.stringify(opening.content)}::jsonb, ${opening.markId ?? null}::uuid,
        ${opening.userId ?? null}::uuid ${source}`
    : sql`select 1`;
}

/**
 * Parts of the statement that records Artifacts: their leaves. They are written after the Artifacts, so that a fingerprint that
 * was free again has its new leaf after the one that says so.
 */
export function insertCreationLogEntries(artifacts: readonly NewArtifact[]): RawBuilder<unknown> {
  const signedCopies = artifacts.some(({ signedCopy }) => signedCopy !== undefined)
    ? sql`
      union all select 'rendition', rendition_leaf, rendition_fingerprint
      from input where rendition_id in (select id from inserted_signed_copies)`
    : sql``;
  const entries = artifacts.flatMap(({ logEntry, signedCopy }) => [
    logEntry,
    ...(signedCopy ? [signedCopy.logEntry] : []),
  ]);
  const openings = entries.flatMap(({ opening }) => (opening ? [toOpeningRow(opening)] : []));
  const insertedOpenings = sql`,
    inserted_log_openings as (
      insert into log_openings (hidden, opening, mark_id)
      select hidden, opening, mark_id
      from json_to_recordset(${JSON.stringify(openings)}) as opened (hidden bytea, opening jsonb, mark_id uuid)
    )`;
  return sql`
    inserted_log_entries as (
      insert into log_entries (kind, leaf, fingerprint)
      select 'artifact', leaf, fingerprint from input where id in (select id from inserted_artifacts) ${signedCopies}
    )${openings.length > 0 ? insertedOpenings : sql``}`;
}

/** Nothing is inserted by a statement that refuses an Artifact, so that the rows need no condition. */
function toOpeningRow({ hidden, content, markId }: NewLogOpening) {
  return { hidden: `\\x${hidden.slice(2)}`, opening: content, mark_id: markId };
}
