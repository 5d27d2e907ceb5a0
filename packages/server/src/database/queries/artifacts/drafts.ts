// Queries about drafts: creations in progress.

import { sql } from 'kysely';
import type { Draft, Drafts } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import { bytes } from '../../bytes.js';
import type { Database } from '../../connection.js';

/** What a draft announces its Artifact to. */
export interface CommitSlots {
  /** Lets the owner's next commit wait for the Artifact of this draft, until it is recorded or the slot is closed. */
  openSlot(draft: Draft): void;
  /** The Artifact of this draft will not be recorded: no commit waits for it any more. */
  closeSlot(artifactId: string): void;
}

export class DraftQueries implements Drafts {
  constructor(
    private readonly database: Database,
    private readonly slots: CommitSlots,
  ) {}

  private readonly beginBatched = batchLoad(async (drafts: readonly Draft[]) => {
    const fingerprints = drafts.map(({ fingerprint }) => bytes(fingerprint));
    const { rows } = await sql<{ artifact_id: string }>`
    insert into drafts (artifact_id)
    select artifact_id from unnest(${drafts.map(({ artifactId }) => artifactId)}::uuid[], ${fingerprints}::bytea[])
      as input (artifact_id, fingerprint)
    where fingerprint not in (
      select fingerprint from artifacts where fingerprint = any(${fingerprints}::bytea[]) and error_reason is null
    ) and fingerprint not in (
      -- The chain keeps the first entry, also of an Artifact that a restored database does not have.
      select fingerprint from chain_entries where fingerprint = any(${fingerprints}::bytea[]) and source = 1
    )
    on conflict (artifact_id) do update set created_at = now()
    returning artifact_id`.execute(this.database);
    const begun = new Set(rows.map(({ artifact_id }) => artifact_id));
    return new Map(drafts.map((draft) => [draft, begun.has(draft.artifactId)]));
  });

  async begin(draft: Draft) {
    this.slots.openSlot(draft);
    let isBegun = false;
    try {
      isBegun = (await this.beginBatched(draft)) ?? false;
      return isBegun;
    } finally {
      if (!isBegun) this.slots.closeSlot(draft.artifactId);
    }
  }

  abandon(artifactId: string, undo: () => Promise<void>) {
    this.slots.closeSlot(artifactId);
    return this.database.transaction().execute(async (transaction) => {
      // Recording the Artifact deletes this row, so only one of the two succeeds.
      const draft = await transaction
        .selectFrom('drafts')
        .select('artifact_id')
        .where('artifact_id', '=', artifactId)
        .forUpdate()
        .executeTakeFirst();
      if (!draft) return false;
      await undo();
      await transaction.deleteFrom('drafts').where('artifact_id', '=', artifactId).execute();
      return true;
    });
  }

  async listOlderThan(date: Date, limit: number) {
    const rows = await this.database
      .selectFrom('drafts')
      .select('artifact_id')
      .where('created_at', '<', date)
      .orderBy('created_at')
      .limit(limit)
      .execute();
    return rows.map(({ artifact_id }) => artifact_id);
  }
}

/** Part of the statement that records Artifacts: only those whose drafts exist are recorded. */
export function deleteDrafts(artifactIds: readonly string[]) {
  return sql`delete from drafts where artifact_id = any(${artifactIds}::uuid[]) returning artifact_id`;
}
