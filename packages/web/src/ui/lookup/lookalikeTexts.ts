// Look-alikes in plain words. They never say that two files are the same.

import type { Lookalike } from '@provenance-registry/core';
import * as texts from '#texts/lookups/lookalikes';

export function describeCloseness({ kind, grade, distance }: Pick<Lookalike, 'kind' | 'grade' | 'distance'>): string {
  return texts.closenessOf(kind, grade, distance);
}

/** Positions of an image: as it is, then mirrored, each in four turns. */
const orientations = [...texts.turned, ...texts.mirrored];

/** How the two pictures or recordings relate; undefined if both are compared as they are. */
export function describeRelation({ code = 0, part, offsetSeconds }: Lookalike): string | undefined {
  if (offsetSeconds !== undefined) return describeOffset(offsetSeconds);
  const sentences = [
    orientations[code % orientations.length],
    part === 'center-90' || part === 'center-80' ? texts.cropped : undefined,
  ];
  return sentences.filter((sentence) => sentence !== undefined).join(' ') || undefined;
}

function describeOffset(seconds: number): string | undefined {
  const rounded = Math.round(Math.abs(seconds));
  if (rounded === 0) return undefined;
  const time = `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}`;
  return seconds > 0 ? texts.startsInRegistered(time) : texts.startsInYours(time);
}

export function describeHashesBy({ hashesBy }: Pick<Lookalike, 'hashesBy'>): string {
  return texts.codesBy[hashesBy];
}
