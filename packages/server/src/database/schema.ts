// The types of the tables: those of the schema, which `npm run build` generates, and here what SQL does not say.

import type { AiPreferences, ArtifactMetadata, EventData, EventType, LicenseKey } from '@provenance-registry/core';
import type { ColumnType } from 'kysely';
import type { ClaimEvidenceFacts } from '../domain/ports/index.js';
import type { SchemaTables } from './schema.generated.js';

/** Columns whose values are of a narrower type than the column. */
interface NarrowerColumns {
  artifacts: { metadata: ArtifactMetadata; ai_preferences: AiPreferences | null };
  claims: { evidence_details: ColumnType<ClaimEvidenceFacts, string, string> };
  events: { type: EventType; data: EventData | null };
  mark_preferences: { ai_preferences: AiPreferences | null };
  marks: { license: LicenseKey; ai_preferences: AiPreferences | null };
  webhooks: { types: readonly EventType[] | null };
}

export type Tables = {
  [Table in keyof SchemaTables]: Table extends keyof NarrowerColumns
    ? Omit<SchemaTables[Table], keyof NarrowerColumns[Table]> & NarrowerColumns[Table]
    : SchemaTables[Table];
};
