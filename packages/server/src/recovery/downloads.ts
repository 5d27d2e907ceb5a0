// The downloads after a restore: files that the database takes for published and that are gone, and fingerprints that only
// a published snapshot has.

import { type Fingerprint, fingerprintOf, parsePiece } from '@provenance-registry/core';
import type { RecoveryFinding, RecoveryParts } from './findings.js';

const COMPARED_AT_ONCE = 1_000;

interface DownloadOptions {
  readonly isDryRun: boolean;
  /** Names of all files of downloads that are published. */
  readonly names: readonly string[];
  readonly report: (finding: RecoveryFinding) => Promise<void>;
  /** Called after each file. */
  readonly step: () => void;
}

export async function recoverDownloads(parts: RecoveryParts, options: DownloadOptions): Promise<void> {
  const published = new Set(options.names);
  const gone = (await parts.records.listPublishedDownloads()).filter((name) => !published.has(name));
  if (gone.length > 0 && !options.isDryRun) await parts.records.forgetDownloads(gone);
  // Pieces of several versions have the same fingerprints.
  const reported = new Set<Fingerprint>();
  for (const name of options.names.filter((one) => one.endsWith('.snapshot'))) {
    for (const page of pagesOf(await readPiece(parts, name))) {
      for (const fingerprint of await parts.records.findUnknownFingerprints(page)) {
        if (reported.has(fingerprint)) continue;
        reported.add(fingerprint);
        await options.report({ outcome: 'only-in-download', kind: 'fingerprint', fingerprint, source: 'download' });
      }
    }
    options.step();
  }
}

/** Nothing of a file that was removed meanwhile, or that is no snapshot. */
async function readPiece({ files }: RecoveryParts, name: string): Promise<Fingerprint[]> {
  const bytes = await files.read(name);
  if (!bytes) return [];
  const piece = parsePiece(bytes);
  return Array.from({ length: piece.count }, (_, index) => fingerprintOf(piece.fingerprintAt(index)));
}

function* pagesOf(fingerprints: readonly Fingerprint[]): Generator<readonly Fingerprint[]> {
  for (let next = 0; next < fingerprints.length; next += COMPARED_AT_ONCE) {
    yield fingerprints.slice(next, next + COMPARED_AT_ONCE);
  }
}
