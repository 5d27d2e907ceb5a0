// Turns pages of fingerprints from the database into the pieces of the snapshot and the keys of the filter.

import {
  type AiPreferences,
  aiPreferencesOf,
  FilterKeys,
  type Fingerprint,
  fingerprintOf,
  PieceBuilder,
} from '@provenance-registry/core';
import type { PreferenceGroup } from '../domain/ports/index.js';

const FINGERPRINT_BYTES = 32;

export interface BuiltPiece {
  readonly from: Fingerprint;
  readonly to: Fingerprint;
  readonly count: number;
  readonly bytes: Uint8Array;
}

interface SnapshotRecord {
  readonly fingerprint: Uint8Array;
  readonly preferences: AiPreferences | null;
}

/** Holds one piece at a time, and 8 bytes for each fingerprint. */
export class SnapshotBuilder {
  readonly keys = new FilterKeys();
  /** Fingerprint of the last record: where the next page starts. */
  last: Uint8Array | undefined;
  #piece = new PieceBuilder();
  #first: Uint8Array | undefined;

  /** Adds a page; yields the pieces that are complete with it. */
  *add(groups: readonly PreferenceGroup[]): Generator<BuiltPiece> {
    for (const { fingerprint, preferences } of mergeGroups(groups)) {
      // A new piece at each first byte: what is registered in one range leaves the pieces of the others as they are.
      if (this.#piece.isFull || (this.#first && this.#first[0] !== fingerprint[0])) yield* this.finish();
      this.#first ??= fingerprint;
      this.#piece.add(fingerprint, preferences);
      this.keys.add(fingerprint);
      this.last = fingerprint;
    }
  }

  /** Yields the last piece, if there is one. */
  *finish(): Generator<BuiltPiece> {
    if (!this.#first || !this.last) return;
    const { count } = this.#piece;
    yield { from: fingerprintOf(this.#first), to: fingerprintOf(this.last), count, bytes: this.#piece.finish() };
    this.#piece = new PieceBuilder();
    this.#first = undefined;
  }
}

function mergeGroups(groups: readonly PreferenceGroup[]): SnapshotRecord[] {
  const records = groups.flatMap(({ stated, fingerprints }) => {
    const preferences = stated && aiPreferencesOf(stated);
    const count = fingerprints.length / FINGERPRINT_BYTES;
    return Array.from({ length: count }, (_, index) => ({
      fingerprint: fingerprints.subarray(index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES),
      preferences,
    }));
  });
  return records.sort((one, other) => Buffer.compare(one.fingerprint, other.fingerprint));
}
