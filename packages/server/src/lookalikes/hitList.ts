// The first hits of a search, in their order, in bounded memory: by distance, then by sequence.

import type { ImageHit } from '../domain/ports/index.js';

type HitPosition = Pick<ImageHit, 'distance' | 'sequence'>;

export function compareHits(a: HitPosition, b: HitPosition): number {
  return a.distance - b.distance || a.sequence - b.sequence;
}

export class HitList {
  readonly #maxHits: number;
  readonly #after: HitPosition | undefined;
  #hits: ImageHit[] = [];
  #maxDistance = Number.POSITIVE_INFINITY;

  constructor(options: {
    readonly maxHits: number;
    readonly after: HitPosition | undefined;
  }) {
    this.#maxHits = options.maxHits;
    this.#after = options.after;
  }

  /** Hits with larger sequences than those so far are of use up to this distance; -1: none are. */
  get maxDistance(): number {
    return this.#maxDistance;
  }

  add(hit: ImageHit): void {
    if (this.#after && compareHits(hit, this.#after) <= 0) return;
    this.#hits.push(hit);
    // Sorted now and then, not at each hit.
    if (this.#hits.length >= 2 * this.#maxHits) this.#keepFirst();
  }

  /** Drops what cannot be listed any more; to be called when all further hits have larger sequences. */
  trim(): void {
    if (this.#hits.length < this.#maxHits) return;
    this.#keepFirst();
    const last = this.#hits.at(-1);
    if (last) this.#maxDistance = last.distance - 1;
  }

  finish(): ImageHit[] {
    this.#keepFirst();
    return this.#hits;
  }

  #keepFirst(): void {
    this.#hits = this.#hits.toSorted(compareHits).slice(0, this.#maxHits);
  }
}
