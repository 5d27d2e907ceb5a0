// Every Artifact, with its files, its place in the outbox and its entry on chain.

import type { AuditedChain, AuditRecords } from '../domain/ports/index.js';
import { type FileParts, judgeFiles } from './artifactFiles.js';
import type { Divergence } from './divergence.js';
import { judgeManifestHash } from './manifestHashes.js';
import { judgeRegistration } from './registrations.js';
import { type Found, pages, someAtOnce, type Walk } from './walking.js';

/** As many entries travel in one request to a node. */
const TOGETHER = 100;
/** Enough to keep the reader's threads and a store busy. */
const FILES_AT_ONCE = 16;

export interface ArtifactParts extends FileParts {
  readonly records: AuditRecords;
  readonly chain: AuditedChain;
}

export function artifactWalk(parts: ArtifactParts): Walk<string> {
  const { records, chain } = parts;
  return {
    what: 'artifacts',
    batches: () => pages((after) => records.artifactIds(after, TOGETHER)),
    async judge(ids) {
      // First the records, then what they must have led to: whatever is recorded meanwhile has not been read.
      const artifacts = await records.artifacts(ids);
      const [entries, ofFiles] = await Promise.all([
        chain.entries(artifacts.map(({ fingerprint }) => fingerprint)),
        someAtOnce(artifacts, FILES_AT_ONCE, async (artifact) => foundIn(artifact, await judgeFiles(parts, artifact))),
      ]);
      const ofRecords = artifacts.flatMap((artifact) => {
        const entry = entries.get(artifact.fingerprint);
        const found = [...judgeRegistration(parts, artifact, entry), ...judgeManifestHash(parts, artifact, entry)];
        return foundIn(artifact, found);
      });
      return [...ofRecords, ...ofFiles];
    },
  };
}

function foundIn({ id }: { readonly id: string }, divergences: readonly Divergence[]): Found<string>[] {
  return divergences.map((divergence) => ({ subject: id, divergence }));
}
