// Queries about Artifacts.

import {
  type ArtifactMetadata,
  type ArtifactStatus,
  artifactStatusCode,
  type Fingerprint,
} from '@provenance-registry/core';
import { type SqlBool, sql } from 'kysely';
import type { Artifacts, StoredArtifact } from '../../domain/ports/index.js';
import { batchLoad } from '../batching.js';
import { bytes, hex } from '../bytes.js';
import type { Database } from '../connection.js';
import type { ArtifactRecorder } from './artifactRecorder.js';

export function artifactQueries(database: Database, recorder: ArtifactRecorder): Artifacts {
  const selectArtifacts = () =>
    database
      .selectFrom('artifacts')
      .innerJoin('users as creator', 'creator.id', 'artifacts.created_by')
      .select([
        'artifacts.id',
        'artifacts.mark_id',
        'artifacts.fingerprint',
        'artifacts.status',
        'artifacts.error_reason',
        'artifacts.transaction_hash',
        'artifacts.metadata',
        'artifacts.content_private',
        'artifacts.created_at',
        'creator.id as creator_id',
        'creator.name as creator_name',
      ]);

  return {
    async find(fingerprint) {
      const holder = await selectArtifacts()
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is', null)
        .executeTakeFirst();
      if (holder) return toArtifact(holder);
      const failed = await selectArtifacts()
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is not', null)
        .orderBy('artifacts.created_at', 'desc')
        .orderBy('artifacts.id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return failed && toArtifact(failed);
    },

    async findById(id) {
      const row = await selectArtifacts().where('artifacts.id', '=', id).executeTakeFirst();
      return row && toArtifact(row);
    },

    findId: batchLoad((fingerprints) => findArtifactIds(database, fingerprints)),

    async findStatuses(ids) {
      const { rows } = await sql<{ id: string; status: number }>`
        select id, status from artifacts where id = any(${ids}::uuid[])`.execute(database);
      return new Map(rows.map(({ id, status }) => [id, statusName(status)]));
    },

    async list({ markId, status, limit, after }) {
      let page = selectArtifacts()
        .where('mark_id', '=', markId)
        .orderBy('artifacts.created_at', 'desc')
        .orderBy('artifacts.id', 'desc')
        .limit(limit);
      if (status !== undefined) page = page.where('status', '=', artifactStatusCode[status]);
      if (after !== undefined) {
        page = page.where(
          sql<SqlBool>`(artifacts.created_at, artifacts.id) < (select created_at, id from artifacts where id = ${after})`,
        );
      }
      return (await page.execute()).map(toArtifact);
    },

    async setContentPrivate(id, contentPrivate) {
      await database.updateTable('artifacts').set({ content_private: contentPrivate }).where('id', '=', id).execute();
    },

    record: (artifact) => recorder.record(artifact),
  };
}

/** The ids of the Artifacts that hold these fingerprints. */
export async function findArtifactIds(
  database: Database,
  fingerprints: readonly Fingerprint[],
): Promise<Map<Fingerprint, string>> {
  const { rows } = await sql<{ id: string; fingerprint: Buffer }>`
    select id, fingerprint from artifacts
    where fingerprint = any(${fingerprints.map(bytes)}::bytea[]) and error_reason is null`.execute(database);
  return new Map(rows.map(({ id, fingerprint }) => [hex(fingerprint), id]));
}

interface ArtifactRow {
  readonly id: string;
  readonly mark_id: string;
  readonly fingerprint: Uint8Array;
  readonly status: number;
  readonly error_reason: string | null;
  readonly transaction_hash: Uint8Array | null;
  readonly metadata: ArtifactMetadata;
  readonly content_private: boolean;
  readonly created_at: Date;
  readonly creator_id: string;
  readonly creator_name: string;
}

function toArtifact(row: ArtifactRow): StoredArtifact {
  return {
    id: row.id,
    markId: row.mark_id,
    fingerprint: hex(row.fingerprint),
    status: statusName(row.status),
    errorReason: row.error_reason,
    transactionHash: row.transaction_hash && hex(row.transaction_hash),
    metadata: row.metadata,
    contentPrivate: row.content_private,
    createdBy: { id: row.creator_id, name: row.creator_name },
    createdAt: row.created_at,
  };
}

const statusNames = new Map(Object.entries(artifactStatusCode).map(([name, number]) => [number, name])) as ReadonlyMap<
  number,
  ArtifactStatus
>;

export function statusName(status: number): ArtifactStatus {
  const name = statusNames.get(status);
  if (!name) throw new Error(`unknown Artifact status ${status}`);
  return name;
}
