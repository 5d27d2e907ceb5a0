// Look-alikes of sound.

import { gradeSound, type LookalikeGrade } from '@provenance-registry/core';
import type { Ports, VisibleArtifact } from '../ports/index.js';

/** About 100 ms of work. */
const HASHES_PER_BATCH = 200;
const BATCHES_PER_SWEEP = 10;
/** Unit of the distance: bits of 64, as for the perceptual hashes of images. */
const CODE_BITS = 64;

export interface SoundHit extends VisibleArtifact {
  /** Bits of 64 that differ, on average. */
  readonly distance: number;
  readonly grade: LookalikeGrade;
  /** Where in the registered recording the asked one begins; may be negative. */
  readonly offsetSeconds: number;
}

/**
 * The closest recordings, then the oldest. None for a Chromaprint that is malformed, too short or too uniform.
 * @param exceptMarkId Artifacts of this Mark are left out
 */
export async function findSoundLookalikes(
  { soundIndex }: Pick<Ports, 'soundIndex'>,
  chromaprint: string,
  { limit, exceptMarkId }: { readonly limit: number; readonly exceptMarkId?: string | undefined },
): Promise<SoundHit[]> {
  const matches = await soundIndex.search(chromaprint, { exceptMarkId });
  const hits = matches.flatMap(({ bitError, offsetSeconds, ...artifact }): SoundHit[] => {
    const distance = Math.round(bitError * CODE_BITS);
    const grade = gradeSound(distance);
    // A tenth of a second is about one item of a Chromaprint.
    return grade ? [{ ...artifact, distance, grade, offsetSeconds: Math.round(offsetSeconds * 10) / 10 }] : [];
  });
  return hits.sort((a, b) => a.distance - b.distance || a.createdAt.getTime() - b.createdAt.getTime()).slice(0, limit);
}

/** Computes the values of Artifacts from before there were any; of a limited number, so that it is called again. */
export async function addMissingSoundHashes({ store }: Pick<Ports, 'store'>): Promise<void> {
  for (let batch = 0; batch < BATCHES_PER_SWEEP; batch += 1) {
    if ((await store.soundHashes.addMissing(HASHES_PER_BATCH)) < HASHES_PER_BATCH) return;
  }
}
