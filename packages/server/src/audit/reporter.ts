// Prints an audit: one line of text or JSON for each divergence on standard output, and progress as messages.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Divergence } from './divergence.js';
import type { AuditSummary } from './index.js';

/** Often enough to show that the audit is alive. */
const PROGRESS_INTERVAL_MS = 10_000;

interface ReporterOptions {
  readonly json: boolean;
  readonly repair: boolean;
  readonly output: Writable;
  readonly notify: (message: string) => void;
  readonly clock: () => Date;
}

export function createReporter({ json, repair: isRepairing, output, notify, clock }: ReporterOptions) {
  let lastPrintedAt = clock().getTime();

  /** Waits for a slow reader: a million lines must not pile up in memory. */
  async function print(line: string): Promise<void> {
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  }

  return {
    divergence({ code, about, message, repair }: Divergence, repaired: boolean): Promise<void> {
      const repairable = repair !== undefined;
      if (json) return print(JSON.stringify({ code, ...about, message, repairable, repaired }));
      const untilNow = isRepairing ? 'could not be repaired now' : 'can be repaired';
      return print(`${code}  ${message} (${repaired ? 'repaired' : repairable ? untilNow : 'cannot be repaired'})`);
    },
    progress(summary: AuditSummary): void {
      const now = clock().getTime();
      if (now - lastPrintedAt < PROGRESS_INTERVAL_MS) return;
      lastPrintedAt = now;
      notify(`So far ${describeSummary(summary)}.`);
    },
    async end(summary: AuditSummary): Promise<void> {
      if (json) await print(JSON.stringify({ summary }));
      else notify(`Checked ${describeSummary(summary)}.`);
      const unknownFiles = summary.found['artifact-unknown'] ?? 0;
      if (unknownFiles > 0) notify(sharedPrefixWarning(unknownFiles));
    },
  };
}

function sharedPrefixWarning(files: number): string {
  return (
    `Warning: ${files} published files belong to Artifacts that this database does not have, and are not removed. Either ` +
    'another service publishes under the same STORAGE_URL or folder, and each needs a prefix of its own; or the database ' +
    'was restored from a backup that is older than these files.'
  );
}

/** Words for what the summary's JSON calls otherwise. */
const labels: Readonly<Record<string, string>> = {
  artifacts: 'Artifacts',
  answers: 'idempotency records',
  mirrored: 'mirrored entries',
  registrations: 'registrations on chain',
};

function describeSummary({ walked, repaired, remaining }: AuditSummary): string {
  const counts = Object.entries(walked).map(([name, count]) => `${count} ${labels[name] ?? name}`);
  const found = repaired + remaining;
  const divergences = found === 0 ? 'no divergence' : `${found} divergences, of which ${repaired} are repaired`;
  return `${counts.join(', ')}: ${divergences}`;
}
