// The audit: walks database, published files and chain against each other, tells of every divergence, and repairs what
// can be repaired without inventing anything.

import type { AuditedChain, AuditRecords, FileInspector, FileStore } from '../domain/ports/index.js';
import { answerWalk } from './answers.js';
import { artifactWalk } from './artifacts.js';
import { counterWalk } from './counters.js';
import type { Divergence } from './divergence.js';
import { strayFileWalk } from './strayFiles.js';
import { divergencesOn, type Patience, persistently, usualPatience, type Walk } from './walking.js';

export interface AuditParts {
  readonly records: AuditRecords;
  readonly files: FileStore;
  readonly inspector: FileInspector;
  readonly chain: AuditedChain;
  readonly clock: () => Date;
}

export interface AuditOptions {
  readonly repair: boolean;
  readonly patience?: Patience;
  /** Ends the audit at the next moment at which nothing is half done. */
  readonly signal?: AbortSignal;
  /** Waited for: whoever is told may be slower than the audit. */
  readonly onDivergence: (divergence: Divergence, repaired: boolean) => Promise<void>;
  readonly onProgress: (summary: AuditSummary) => void;
}

export interface AuditSummary {
  readonly walked: Record<string, number>;
  /** By their codes. */
  readonly found: Record<string, number>;
  repaired: number;
  remaining: number;
}

export async function runAudit(parts: AuditParts, options: AuditOptions): Promise<AuditSummary> {
  const summary: AuditSummary = { walked: {}, found: {}, repaired: 0, remaining: 0 };
  // Counters last: what is repaired before them may change what they should be.
  await walk(artifactWalk(parts), options, summary);
  await walk(strayFileWalk(parts), options, summary);
  await walk(answerWalk(parts), options, summary);
  await walk(counterWalk(parts), options, summary);
  return summary;
}

async function walk<Subject>(way: Walk<Subject>, options: AuditOptions, summary: AuditSummary): Promise<void> {
  const { patience = usualPatience } = options;
  summary.walked[way.what] = 0;
  const walked = (count: number) => {
    summary.walked[way.what] = (summary.walked[way.what] ?? 0) + count;
    options.onProgress(summary);
    options.signal?.throwIfAborted();
  };
  for await (const divergence of divergencesOn(way, patience, walked)) {
    await treat(divergence, options, summary);
    options.signal?.throwIfAborted();
  }
}

async function treat(divergence: Divergence, options: AuditOptions, summary: AuditSummary): Promise<void> {
  const { code, repair } = divergence;
  const { patience = usualPatience } = options;
  const repaired = options.repair && repair !== undefined && (await persistently(repair, patience));
  summary.found[code] = (summary.found[code] ?? 0) + 1;
  if (repaired) summary.repaired += 1;
  else summary.remaining += 1;
  await options.onDivergence(divergence, repaired);
}
