// How an audit is told: divergences on standard output, a line each, in words or as JSON; how far it is on standard error.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Divergence } from './divergence.js';
import type { AuditSummary } from './index.js';

/** Often enough to see that it lives. */
const PROGRESS_MS = 10_000;

export interface Reporter {
  divergence(divergence: Divergence, repaired: boolean): Promise<void>;
  progress(summary: AuditSummary): void;
  end(summary: AuditSummary): Promise<void>;
}

export interface ReporterOptions {
  readonly json: boolean;
  /** Whether repairs are tried. */
  readonly repair: boolean;
  readonly output: Writable;
  readonly notify: (message: string) => void;
  readonly clock: () => Date;
}

export function createReporter({ json, repair: isRepairing, output, notify, clock }: ReporterOptions): Reporter {
  let lastPrintedAt = clock().getTime();

  /** Not faster than the reader reads: a million lines must not pile up here. */
  async function print(line: string): Promise<void> {
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  }

  return {
    divergence({ code, about, message, repair }, repaired) {
      const repairable = repair !== undefined;
      if (json) return print(JSON.stringify({ code, ...about, message, repairable, repaired }));
      const possible = isRepairing ? 'could not be repaired now' : 'can be repaired';
      return print(`${code}  ${message} (${repaired ? 'repaired' : repairable ? possible : 'cannot be repaired'})`);
    },
    progress(summary) {
      const now = clock().getTime();
      if (now - lastPrintedAt < PROGRESS_MS) return;
      lastPrintedAt = now;
      notify(`So far ${inWords(summary)}.`);
    },
    async end(summary) {
      if (json) await print(JSON.stringify({ summary }));
      else notify(`Walked ${inWords(summary)}.`);
    },
  };
}

function inWords({ walked, repaired, remaining }: AuditSummary): string {
  const ways = Object.entries(walked).map(([what, count]) => `${count} ${what}`);
  const found = repaired + remaining;
  const divergences = found === 0 ? 'no divergence' : `${found} divergences, of which ${repaired} are repaired`;
  return `${ways.join(', ')}: ${divergences}`;
}
