// Sequences that were missing between others. A transaction that took one may still commit, so they are asked for again for
// a while. Most belong to creations that were rolled back.

import type { SequenceRange } from '../domain/ports/index.js';

/** Several times as long as a statement that records an Artifact may take. */
const MAX_AGE_MS = 60_000;
/** The newest ones. Others are found by the comparison of checksums. */
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

  /** All, to be asked for now. Old ones are asked for a last time: the database may have been away. */
  takeDue(): readonly SequenceRange[] {
    const due = this.#gaps;
    const oldest = performance.now() - MAX_AGE_MS;
    this.#gaps = due.filter(({ noticedAt }) => noticedAt > oldest);
    return due;
  }

  /** These are no longer missing. */
  fill(sequences: readonly number[]): void {
    for (const sequence of sequences) {
      this.#gaps = this.#gaps.flatMap((gap) =>
        sequence < gap.from || sequence >= gap.to
          ? [gap]
          : [
              { ...gap, to: sequence },
              { ...gap, from: sequence + 1 },
            ].filter(({ from, to }) => from < to),
      );
    }
  }

  overlaps({ from, to }: SequenceRange): boolean {
    return this.#gaps.some((gap) => gap.from < to && gap.to > from);
  }
}
