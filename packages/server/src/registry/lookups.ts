// Looks fingerprints up together: whatever is asked for while the database is busy with one question goes into the next.

import type { Fingerprint } from '@provenance-registry/core';
import type { Artifacts, Lookup } from './ports.js';

/** As many as fit well into one query. */
const MAX_TOGETHER = 500;
/** A second question may be under way while the first is being answered; more would only queue. */
const MAX_QUESTIONS = 2;

interface Asked {
  readonly fingerprint: Fingerprint;
  readonly resolve: (id: string | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export function shareLookups(artifacts: Pick<Artifacts, 'findIds'>): Lookup {
  let waiting: Asked[] = [];
  let questions = 0;

  async function ask(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      try {
        const ids = await artifacts.findIds([...new Set(asked.map(({ fingerprint }) => fingerprint))]);
        for (const { fingerprint, resolve } of asked) resolve(ids.get(fingerprint));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    questions -= 1;
  }

  return (fingerprint) =>
    new Promise((resolve, reject) => {
      waiting.push({ fingerprint, resolve, reject });
      if (questions >= MAX_QUESTIONS) return;
      questions += 1;
      // Not at once: those that arrive in the same turn of the event loop come along.
      setImmediate(ask);
    });
}
