// The audit: compares database, published files and chain, reports every divergence, and repairs what can be derived.

import { artifactWalk } from './artifacts.js';
import { counterWalk } from './counters.js';
import type { AuditParts, Divergence } from './divergence.js';
import { idempotencyRecordWalk } from './idempotencyRecords.js';
import { mirroredEntryWalk, registrationWalk } from './mirror.js';
import { strayFileWalk } from './strayFiles.js';
import { type AuditDelays, confirmedDivergences, defaultDelays, retryWhileUnavailable, type Walk } from './walk.js';

export interface AuditOptions {
  readonly repair: boolean;
  readonly delays?: AuditDelays;
  /** Ends the audit between two repairs, never within one. */
  readonly signal?: AbortSignal;
  /** Awaited: output may be slower than the audit. */
  readonly onDivergence: (divergence: Divergence, repaired: boolean) => Promise<void>;
  readonly onProgress: (summary: AuditSummary) => void;
}

export interface AuditSummary {
  /** What was checked, by kind. */
  readonly walked: Record<string, number>;
  /** Divergences by their codes. */
  readonly found: Record<string, number>;
  repaired: number;
  remaining: number;
}

export async function runAudit(parts: AuditParts, options: AuditOptions): Promise<AuditSummary> {
  const summary: AuditSummary = { walked: {}, found: {}, repaired: 0, remaining: 0 };
  await runWalk(artifactWalk(parts), options, summary);
  await runWalk(strayFileWalk(parts), options, summary);
  await runWalk(idempotencyRecordWalk(parts), options, summary);
  await runWalk(mirroredEntryWalk(parts), options, summary);
  await runWalk(registrationWalk(parts), options, summary);
  // Last: earlier repairs may change what is counted.
  await runWalk(counterWalk(parts), options, summary);
  return summary;
}

async function runWalk<Subject>(walk: Walk<Subject>, options: AuditOptions, summary: AuditSummary): Promise<void> {
  const { delays = defaultDelays } = options;
  summary.walked[walk.name] = 0;
  const onBatch = (count: number) => {
    summary.walked[walk.name] = (summary.walked[walk.name] ?? 0) + count;
    options.onProgress(summary);
    options.signal?.throwIfAborted();
  };
  for await (const divergence of confirmedDivergences(walk, delays, onBatch)) {
    const { code, repair } = divergence;
    const repaired = options.repair && repair !== undefined && (await retryWhileUnavailable(repair, delays));
    summary.found[code] = (summary.found[code] ?? 0) + 1;
    summary[repaired ? 'repaired' : 'remaining'] += 1;
    await options.onDivergence(divergence, repaired);
    options.signal?.throwIfAborted();
  }
}
