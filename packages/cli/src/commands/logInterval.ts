// When commands that follow a log look for more.

import { UsageError } from '../errors.js';

const DEFAULT_EVERY_SECONDS = 60;

export const intervalOptions = {
  once: { kind: 'flag', summary: 'end after one run, such as for cron' },
  every: {
    kind: 'integer',
    range: [1, 86_400],
    label: 'SECONDS',
    summary: `time between two runs; default: ${DEFAULT_EVERY_SECONDS}`,
  },
} as const;

/** Undefined: one run. */
export function readIntervalMs({ once, every }: { readonly once: boolean; readonly every: number | undefined }) {
  if (once && every !== undefined) throw new UsageError('--once and --every cannot be combined.');
  return once ? undefined : (every ?? DEFAULT_EVERY_SECONDS) * 1_000;
}
