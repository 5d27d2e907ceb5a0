// The recovery: finds what chain, published files and downloads have and the database does not, and adds it again. It may run
// beside the service, and again: what was recovered is not missing any more.

import type { LoggedEntry } from '../domain/ports/index.js';
import { recoverDownloads } from './downloads.js';
import type { RecoveryFinding, RecoveryOptions, RecoveryParts, RecoverySummary } from './findings.js';
import { Recoverer } from './recoverer.js';
import { findRegistrants } from './registrantSearch.js';
import { listUnknownArtifacts } from './unknownFiles.js';

/** A statement compares so many. */
const COMPARED_AT_ONCE = 1_000;

export async function runRecovery(parts: RecoveryParts, options: RecoveryOptions): Promise<RecoverySummary> {
  const summary: RecoverySummary = { walked: { entries: 0, files: 0, downloads: 0 }, found: {} };
  const step = () => {
    options.onProgress(summary);
    options.signal?.throwIfAborted();
  };
  const report = async (finding: RecoveryFinding) => {
    summary.found[finding.outcome] = (summary.found[finding.outcome] ?? 0) + 1;
    await options.onFinding(finding);
    step();
  };

  const missing = await listMissingEntries(parts, summary, step);
  const topics = new Set(missing.map(({ registrantTopic }) => registrantTopic));
  const registrants = await findRegistrants(parts, topics, step);
  const recoverer = new Recoverer(parts, options.isDryRun, registrants);
  for (const entry of missing) await report(await recoverer.recoverEntry(entry));

  const ofMissing = new Set(missing.map(({ manifestId }) => manifestId));
  const names: string[] = [];
  for await (const { artifactIds, downloads, files } of listUnknownArtifacts(parts)) {
    summary.walked.files += files;
    names.push(...downloads);
    for (const id of artifactIds.filter((one) => !ofMissing.has(one))) {
      const finding = await recoverer.recoverFiles(id);
      if (finding) await report(finding);
    }
    step();
  }
  const onDownload = () => {
    summary.walked.downloads += 1;
    step();
  };
  await recoverDownloads(parts, { isDryRun: options.isDryRun, names, report, step: onDownload });
  return summary;
}

/** Oldest first: Artifacts come before their signed copies. */
async function listMissingEntries(
  { chain, records }: RecoveryParts,
  { walked }: RecoverySummary,
  step: () => void,
): Promise<LoggedEntry[]> {
  const missing: LoggedEntry[] = [];
  for await (const entries of chain.listLoggedEntries()) {
    for (let next = 0; next < entries.length; next += COMPARED_AT_ONCE) {
      const page = entries.slice(next, next + COMPARED_AT_ONCE);
      missing.push(...(await records.findMissing(page)));
      walked.entries += page.length;
      step();
    }
    step();
  }
  return missing;
}
