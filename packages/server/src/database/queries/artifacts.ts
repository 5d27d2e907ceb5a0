// Queries about Artifacts.

import { type ArtifactStatus, artifactStatusCode, type Fingerprint } from '@provenance-registry/core';
import { type InferResult, type SqlBool, sql } from 'kysely';
import type { Artifacts, StoredArtifact } from '../../domain/ports/index.js';
import { batchLoad } from '../batching.js';
import { bytes, hex } from '../bytes.js';
import type { Database } from '../connection.js';
import type { ArtifactRecorder } from './artifactRecorder.js';

export function artifactQueries(database: Database, recorder: ArtifactRecorder): Artifacts {
  return {
    async find(fingerprint) {
      const holder = await selectArtifacts(database)
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is', null)
        .executeTakeFirst();
      if (holder) return toArtifact(holder);
      const failed = await selectArtifacts(database)
        .where('fingerprint', '=', bytes(fingerprint))
        .where('error_reason', 'is not', null)
        .orderBy('artifacts.created_at', 'desc')
        .orderBy('artifacts.id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return failed && toArtifact(failed);
    },

    async findById(id) {
      const row = await selectArtifacts(database).where('artifacts.id', '=', id).executeTakeFirst();
      return row && toArtifact(row);
    },

    findId: batchLoad((fingerprints) => findArtifactIds(database, fingerprints)),

    async findStatuses(ids) {
      const { rows } = await sql<{ id: string; status: number }>`
        select id, status from artifacts where id = any(${ids}::uuid[])`.execute(database);
      return new Map(rows.map(({ id, status }) => [id, statusName(status)]));
    },

    async list({ markId, status, limit, after }) {
      let page = selectArtifacts(database)
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

    recordRendition: async () => 'gone',
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

function selectArtifacts(database: Database) {
  return database
    .selectFrom('artifacts')
    .innerJoin('users as creator', 'creator.id', 'artifacts.created_by')
    .select([
      'artifacts.id',
      'artifacts.mark_id as markId',
      'artifacts.fingerprint',
      'artifacts.status',
      'artifacts.error_reason as errorReason',
      'artifacts.transaction_hash as transactionHash',
      'artifacts.metadata',
      'artifacts.content_private as contentPrivate',
      'artifacts.created_at as createdAt',
      'creator.id as creatorId',
      'creator.name as creatorName',
    ]);
}

type ArtifactRow = InferResult<ReturnType<typeof selectArtifacts>>[number];

function toArtifact({ creatorId, creatorName, ...row }: ArtifactRow): StoredArtifact {
  return {
    ...row,
    fingerprint: hex(row.fingerprint),
    status: statusName(row.status),
    transactionHash: row.transactionHash && hex(row.transactionHash),
    createdBy: { id: creatorId, name: creatorName },
    renditions: [],
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
