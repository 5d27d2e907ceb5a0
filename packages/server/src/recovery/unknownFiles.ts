// Goes through the published files for those of Artifacts that the database does not have.

import type { ListedFile } from '../domain/ports/index.js';
import type { RecoveryParts } from './findings.js';

/** Files of a creation in progress are newer: its draft is written before they are, and deleted with its Artifact's insertion. */
const MIN_AGE_MS = 120_000;

export interface UnknownFiles {
  /** Artifacts with a sidecar. */
  readonly artifactIds: readonly string[];
  /** All files of downloads, known or not. */
  readonly downloads: readonly string[];
  /** Number of files that were looked at. */
  readonly files: number;
}

export async function* listUnknownArtifacts({
  files,
  records,
  clock,
}: Pick<RecoveryParts, 'files' | 'records' | 'clock'>): AsyncGenerator<UnknownFiles> {
  const isOld = ({ modifiedAt }: ListedFile) => clock().getTime() - modifiedAt.getTime() > MIN_AGE_MS;
  for await (const listed of files.list()) {
    const ids = listed
      .filter((file) => file.name.endsWith('.c2pa') && isOld(file))
      .map(({ name }) => name.slice(0, -5));
    const known = await records.findKnownIds(ids);
    yield {
      artifactIds: ids.filter((id) => !known.has(id)),
      downloads: listed
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.snapshot') || name.endsWith('.filter')),
      files: listed.length,
    };
  }
}
