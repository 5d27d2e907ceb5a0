// The results of `verify` as text, JSON and CSV.

import { explanations, type Verdict } from '@provenance-registry/client';
import type { ExitCode } from '../exitCode.js';
import type { ResultFormats } from '../inputs/printer.js';
import { describeLikeness, describeMark, formatLookalike, summarizeResult } from '../lookalikes/formatLookalikes.js';
import type { VerifiedFile } from '../outputSchemas/verification.js';
import { bold, joinLines, type Piece, padText, type Text, text, wrapText } from '../text.js';
import { formatVerification, provenFact, verdictTexts } from './formatVerification.js';
import type { FileResult, SimilarFiles } from './verifier.js';

export const verdictExitCodes: Readonly<Record<Verdict, ExitCode>> = {
  verified: 0,
  contradicted: 1,
  unknown: 1,
  contested: 1,
  superseded: 1,
  incomplete: 3,
  consistent: 4,
};

interface FormatOptions {
  readonly hasDetails: boolean;
  readonly columns: number;
  /** What to run to get a verified result. */
  readonly advise: (name: string, verification: FileResult) => string | undefined;
  /** Whether look-alikes are searched for. */
  readonly similar?: boolean;
  /** Whose evidence it is, if not the service's. */
  readonly maker?: string | undefined;
}

/** Results are printed one by one, so that the widths cannot depend on all of them. */
const VERDICT_COLUMNS = 15;
const MARK_COLUMNS = 24;
const TIME_COLUMNS = 20;
const NOTHING = '-';

export function createVerificationFormats({
  hasDetails,
  columns,
  advise,
  similar,
  maker,
}: FormatOptions): ResultFormats<FileResult> {
  let isFirst = true;
  return {
    toText(name, verification) {
      if (!hasDetails) return joinLines([formatLine(name, verification), ...formatSimilarLines(verification.similar)]);
      const details = formatVerification(name, verification, { columns, advice: advise(name, verification), maker });
      const block = joinLines([details, ...formatSimilar(verification.similar, columns)]);
      const withGap = isFirst ? block : joinLines(['', block]);
      isFirst = false;
      return withGap;
    },
    toJson: (file, verification): VerifiedFile => ({ file, ...verification }),
    csvColumns: [
      'fingerprint',
      'verdict',
      'independentSources',
      'mark',
      'author',
      'license',
      'allowAiTraining',
      'since',
      'problems',
      ...(similar ? ['lookalikes'] : []),
    ],
    toCells: (verification) => [
      verification.fingerprint,
      verification.verdict,
      verification.independentSources.join(' '),
      ...(['mark', 'author', 'license', 'allowAiTraining', 'since'] as const).map((name) =>
        provenFact(verification, name),
      ),
      [...(verification.alarm === undefined ? [] : ['ALARM']), ...verification.problems.map(({ code }) => code)].join(
        ' ',
      ),
      ...(similar ? [verification.similar?.lookalikes.length] : []),
    ],
  };
}

/** Verdict, Mark, since when, and the name. */
function formatLine(name: string, verification: FileResult): Text {
  const { verdict, alarm, problems, reason } = verification;
  const mark = String(provenFact(verification, 'mark') ?? NOTHING);
  const since = String(provenFact(verification, 'since') ?? NOTHING);
  const cells = [
    padText(verdictTexts[verdict], VERDICT_COLUMNS),
    padText(mark, MARK_COLUMNS),
    padText(since.replace(/\.\d+Z$/, 'Z'), TIME_COLUMNS),
  ];
  const cause = alarm ?? problems[0]?.reason ?? (verdict === 'incomplete' ? reason?.text : undefined);
  return text`${cells[0] ?? ''}  ${cells[1] ?? ''}  ${cells[2] ?? ''}  ${name}${cause === undefined ? '' : `: ${cause}`}`;
}

/** Apart from the verdict, which they do not change. */
function formatSimilar(similar: SimilarFiles | undefined, columns: number): Piece[] {
  if (!similar) return [];
  const result = similar.error === undefined ? summarizeResult(similar) : `could not search: ${similar.error}`;
  const { lookalikeHint, sentForSearch } = explanations;
  const words = `${similar.lookalikes.length > 0 ? `${lookalikeHint} ` : ''}${sentForSearch[similar.sent]}`;
  return [
    text`  ${bold('Look-alikes, not part of the verdict')}: ${result}`,
    ...similar.lookalikes.map(formatLookalike),
    text`  ${wrapText(words, columns, 2)}`,
  ];
}

function formatSimilarLines(similar: SimilarFiles | undefined): Piece[] {
  if (similar?.error !== undefined) return [text`  could not search for look-alikes: ${similar.error}`];
  return (similar?.lookalikes ?? []).map(
    (found) =>
      text`  looks like ${found.fingerprint} of ${describeMark(found)}: ${found.grade}, ${describeLikeness(found)}`,
  );
}
