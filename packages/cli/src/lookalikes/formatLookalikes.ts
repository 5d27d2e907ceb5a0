// The text about look-alikes: always "looks like", never "is".

import { explanations, type LookalikeSearch } from '@provenance-registry/client';
import { describeAiPreferences, type Lookalike } from '@provenance-registry/core';
import { bold, formatTable, joinLines, type Piece, type Text, text, yellow } from '../text.js';

const MARGIN = '  ';
const INNER_MARGIN = '    ';

/** Order of the codes of a search. */
const orientationTexts = [
  undefined,
  'turned by 90 degrees',
  'turned by 180 degrees',
  'turned by 270 degrees',
  'mirrored',
  'mirrored and turned by 90 degrees',
  'mirrored and turned by 180 degrees',
  'mirrored and turned by 270 degrees',
] as const;
const partTexts = {
  whole: undefined,
  'center-90': 'like its middle (90 % of each side)',
  'center-80': 'like its middle (80 % of each side)',
} as const;
const codesTexts = {
  service: 'computed by the service from the file',
  client: 'sent by its registrant; the service has not checked them',
} as const;

/** `2 of 64 bits differ; mirrored`. */
export function describeLikeness({ kind, distance, code, part, offsetSeconds }: Lookalike): string {
  const bits =
    distance === 0 ? 'no bit of 64 differs' : `${distance} of 64 bits ${distance === 1 ? 'differs' : 'differ'}`;
  const parts = [
    kind === 'audio' ? `${bits} on average` : bits,
    orientationTexts[code ?? 0],
    partTexts[part ?? 'whole'],
    offsetSeconds !== undefined && Math.abs(offsetSeconds) >= 1 && describeOffset(offsetSeconds),
  ];
  return parts.filter(Boolean).join('; ');
}

function describeOffset(seconds: number): string {
  const amount = `${Math.round(Math.abs(seconds))} s`;
  return seconds > 0
    ? `begins ${amount} into the registered recording`
    : `the registered recording begins ${amount} into it`;
}

export function describeMark({ mark, verifiedDomain }: Pick<Lookalike, 'mark' | 'verifiedDomain'>): string {
  if (!mark) return 'a Mark that is not shown';
  return `${mark.name} (${verifiedDomain === undefined ? 'no verified domain' : `${verifiedDomain}, verified`})`;
}

/** `name: looks like …` and one block for each look-alike. */
export function formatResult(name: string, result: LookalikeSearch): Text {
  return joinLines([text`${bold(name)}: ${summarizeResult(result)}`, ...result.lookalikes.map(formatLookalike)]);
}

export function summarizeResult({ lookalikes, missing }: LookalikeSearch): Piece {
  if (missing !== undefined) return `not searched: ${explanations.missingHashes[missing]}`;
  if (lookalikes.length === 0) return 'no look-alikes found';
  const others = lookalikes.filter(({ isSameFile }) => !isSameFile).length;
  if (others === 0) return 'no look-alikes found besides this very file, which is registered';
  return yellow(`looks like ${others === 1 ? 'a registered file' : `${others} registered files`}`);
}

export function formatLookalike(found: LookalikeSearch['lookalikes'][number]): Text {
  const { license, aiPreferences, contested, supersededBy, registeredAt, fingerprint, hashesBy, grade } = found;
  const headline = found.isSameFile ? 'This very file, registered by' : `Looks ${gradeTexts[grade]} a file of`;
  const rows = [
    ['Likeness', describeLikeness(found)],
    ['Fingerprint', fingerprint],
    ['Registered', registeredAt],
    ['License', license?.name],
    ['AI uses', aiPreferences && describeAiPreferences(aiPreferences)],
    ['Contested', contested ? 'yes: an open claim has older evidence that the service checked' : undefined],
    ['Superseded', supersededBy ? `its Mark conceded the file to ${supersededBy.name}` : undefined],
    ['Its codes', codesTexts[hashesBy]],
  ].flatMap(([label, value]) =>
    label !== undefined && value !== undefined ? [[text`${INNER_MARGIN}${bold(label)}`, value]] : [],
  );
  return joinLines([text`${MARGIN}${headline} ${describeMark(found)}`, formatTable(rows)]);
}

const gradeTexts = { 'near-identical': 'near-identical to', similar: 'similar to' } as const;
