// Sequences that were missing between others. A transaction that took one may still commit, so they are read again for
// a while. Most belong to creations that were rolled back.

import type { SequenceRange } from '../domain/ports/index.js';

/** Several times as long as a statement that records an Artifact may take. */
const MAX_AGE_MS = 60_000;
/** The newest ones. Hashes in others are found by the comparison of checksums. */
const MAX_GAPS = 1_000;

interface Gap extends SequenceRange {
  readonly noticedAt: number;
}

export class SequenceGaps {
  #gaps: Gap[] = [];

  /** Notes what is missing between `last` and these, which are in order. */
  follow(last: number, sequences: readonly number[]): void {
    const noticedAt = performance.now();
    let previous = last;
    for (const sequence of sequences) {
      if (sequence > previous + 1) this.#gaps.push({ from: previous + 1, to: sequence, noticedAt });
      previous = sequence;
    }
    this.#gaps = this.#gaps.slice(-MAX_GAPS);
  }

  list(): readonly SequenceRange[] {
    return this.#gaps;
  }

  /** These are no longer missing. */
  fill(sequences: readonly number[]): void {
    for (const sequence of sequences) this.#gaps = this.#gaps.flatMap((gap) => splitAt(gap, sequence));
  }

  /** Old ones are removed only after they were read again: the database may have been unavailable all the time. */
  removeOld(read: readonly SequenceRange[]): void {
    const oldest = performance.now() - MAX_AGE_MS;
    const lastRead = read.at(-1)?.to ?? 0;
    this.#gaps = this.#gaps.filter(({ noticedAt, to }) => noticedAt > oldest || to > lastRead);
  }

  overlaps({ from, to }: SequenceRange): boolean {
    return this.#gaps.some((gap) => gap.from < to && gap.to > from);
  }
}

function splitAt(gap: Gap, sequence: number): Gap[] {
  if (sequence < gap.from || sequence >= gap.to) return [gap];
  return [
    { ...gap, to: sequence },
    { ...gap, from: sequence + 1 },
  ].filter(({ from, to }) => from < to);
}
