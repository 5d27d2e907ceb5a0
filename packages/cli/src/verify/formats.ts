// The results of `verify` as text, JSON and CSV.

import type { ExitCode } from '../exitCode.js';
import type { ResultFormats } from '../inputs/printer.js';
import {
  describeLikeness,
  describeMark,
  formatLookalike,
  HINT,
  sentTexts,
  summarizeResult,
} from '../lookalikes/formatLookalikes.js';
import type { VerifiedFile } from '../outputSchemas/verification.js';
import { bold, joinLines, type Piece, padText, type Text, text, wrapText } from '../text.js';
import { formatVerification, provenFact, type Verdict, verdictTexts } from './formatVerification.js';
import type { FileResult, SimilarFiles } from './verifier.js';

export const verdictExitCodes: Readonly<Record<Verdict, ExitCode>> = {
  verified: 0,
  contradicted: 1,
  unknown: 1,
  incomplete: 3,
  consistent: 4,
  // Not a yes, since the registrant may not be the first; not a no, since only the service says so.
  contested: 4,
  superseded: 4,
};

interface FormatOptions {
  readonly hasDetails: boolean;
  readonly columns: number;
  readonly advice: string;
  /** Whether look-alikes are searched for. */
  readonly similar?: boolean;
}

/** Results are printed one by one, so that the widths cannot depend on all of them. */
const VERDICT_COLUMNS = 15;
const MARK_COLUMNS = 24;
const TIME_COLUMNS = 20;
const NOTHING = '-';

export function createVerificationFormats({
  hasDetails,
  columns,
  advice,
  similar,
}: FormatOptions): ResultFormats<FileResult> {
  let isFirst = true;
  return {
    toText(name, verification) {
      if (!hasDetails) return joinLines([formatLine(name, verification), ...formatSimilarLines(verification.similar)]);
      const details = formatVerification(name, verification, { columns, advice });
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
  const { verdict, alarm, problems, checks } = verification;
  const mark = String(provenFact(verification, 'mark') ?? NOTHING);
  const since = String(provenFact(verification, 'since') ?? NOTHING);
  const cells = [
    padText(verdictTexts[verdict], VERDICT_COLUMNS),
    padText(mark, MARK_COLUMNS),
    padText(since.replace(/\.\d+Z$/, 'Z'), TIME_COLUMNS),
  ];
  const [failedCheck] = Object.values(checks).filter(({ state }) => state === 'unavailable');
  const reason = alarm ?? problems[0]?.reason ?? (verdict === 'incomplete' ? failedCheck?.reason : undefined);
  return text`${cells[0] ?? ''}  ${cells[1] ?? ''}  ${cells[2] ?? ''}  ${name}${reason === undefined ? '' : `: ${reason}`}`;
}

/** Apart from the verdict, which they do not change. */
function formatSimilar(similar: SimilarFiles | undefined, columns: number): Piece[] {
  if (!similar) return [];
  const result = similar.error === undefined ? summarizeResult(similar) : `could not search: ${similar.error}`;
  const words = `${similar.lookalikes.length > 0 ? `${HINT} ` : ''}${sentTexts[similar.sent]}`;
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
