// Look-alikes in plain words. They never say that two files are the same.

import type { Lookalike, LookalikeGrade } from '@provenance-registry/core';

const gradeNames: Readonly<Record<LookalikeGrade, string>> = {
  'near-identical': 'Nearly identical',
  similar: 'Similar',
};

const gradeMeanings = {
  image: {
    'near-identical': 'as close as copies of one picture usually are',
    similar: 'as a crop, an edit, or another picture of the same thing may be',
  },
  audio: {
    'near-identical': 'as close as copies of one recording usually are',
    similar: 'as an excerpt, an edit, or another version may be',
  },
} as const;

export function describeCloseness({ kind, grade, distance }: Pick<Lookalike, 'kind' | 'grade' | 'distance'>): string {
  const bits = `${distance} of 64 bits differ${kind === 'audio' ? ' on average' : ''}`;
  return `${gradeNames[grade]}, ${gradeMeanings[kind][grade]}: ${bits}.`;
}

const turns = ['', 'turned by 90° clockwise', 'turned by 180°', 'turned by 90° counterclockwise'] as const;
const ORIENTATIONS = 8;

/** How the two pictures or recordings relate; undefined if both are compared as they are. */
export function describeRelation({ code = 0, part, offsetSeconds }: Lookalike): string | undefined {
  if (offsetSeconds !== undefined) return describeOffset(offsetSeconds);
  const orientation = code % ORIENTATIONS;
  const forms = [orientation >= turns.length ? 'mirrored' : '', turns[orientation % turns.length] ?? ''].filter(
    Boolean,
  );
  const sentences = [
    forms.length > 0 && `Your file looks like it when it is ${forms.join(' and ')}.`,
    part === 'center-90' && CROPPED,
    part === 'center-80' && CROPPED,
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ') || undefined;
}

const CROPPED = 'Your file looks like the middle of the registered picture: it may be cropped.';

function describeOffset(seconds: number): string | undefined {
  const rounded = Math.round(Math.abs(seconds));
  if (rounded === 0) return undefined;
  const time = `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}`;
  if (seconds > 0) return `Your file sounds like it from ${time} of the registered recording on.`;
  return `The registered recording sounds like your file from ${time} of yours on.`;
}

export function describeHashesBy({ hashesBy }: Pick<Lookalike, 'hashesBy'>): string {
  if (hashesBy === 'service') return 'This service computed them from the registered file.';
  return 'The registrant sent them: nothing shows that they belong to the registered file.';
}
