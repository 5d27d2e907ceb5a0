// Checks every Artifact with its files, its place in the outbox, its perceptual hashes and its entry on chain; signed copies
// have no files.

import type { AuditedArtifact } from '../domain/ports/index.js';
import { checkFiles } from './artifactFiles.js';
import type { AuditParts, Divergence } from './divergence.js';
import { checkImageHashes, checkSoundHashes } from './perceptualHashes.js';
import { checkManifestHash, checkRegistration } from './registrations.js';
import { type Finding, mapConcurrently, readPages, type Walk } from './walk.js';

/** Number of entries that fit into one request to a node. */
const PAGE_SIZE = 100;
/** Enough to keep the reader's threads and a file store busy. */
const MAX_CONCURRENT_FILES = 16;

export function artifactWalk(parts: AuditParts): Walk<string> {
  const { records, chain } = parts;
  return {
    name: 'artifacts',
    batches: () => readPages((after) => records.listArtifactIds(after, PAGE_SIZE)),
    async check(ids) {
      // Records are read first: files and chain must then have at least what the records say.
      const artifacts = await records.readArtifacts(ids);
      const [entries, imageFindings, soundFindings, fileFindings] = await Promise.all([
        chain.readEntries(artifacts.map(({ fingerprint }) => fingerprint)),
        checkImageHashes(parts, ids),
        checkSoundHashes(parts, artifacts),
        mapConcurrently(artifacts.filter(hasFiles), MAX_CONCURRENT_FILES, async (artifact) =>
          toFindings(artifact, await checkFiles(parts, artifact)),
        ),
      ]);
      const recordFindings = artifacts.flatMap((artifact) => {
        const entry = entries.get(artifact.fingerprint);
        return toFindings(artifact, [
          ...checkRegistration(parts, artifact, entry),
          ...checkManifestHash(parts, artifact, entry),
        ]);
      });
      return [...recordFindings, ...imageFindings, ...soundFindings, ...fileFindings];
    },
  };
}

function hasFiles({ id, manifestId }: AuditedArtifact): boolean {
  return id === manifestId;
}

function toFindings({ id }: { readonly id: string }, divergences: readonly Divergence[]): Finding<string>[] {
  return divergences.map((divergence) => ({ subject: id, divergence }));
}
