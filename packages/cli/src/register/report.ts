// The output of a run: progress while it runs, and the summary at the end.

import type { Context } from '../context.js';
import type { ExitCode } from '../exitCode.js';
import type { Registration } from '../outputSchemas/files.js';
import { formatAmount, type Progress } from '../progress.js';
import { bold, green, joinLines, type Piece, red, type Text, text, yellow } from '../text.js';
import { SYMBOLIC_LINK } from '../walk/walk.js';
import { type FileOutcome, fileOutcomes } from './fileOutcomes.js';
import type { RegisterOptions } from './options.js';
import { type FileResult, hasLookalikes, RunStats } from './stats.js';
import type { StopReason } from './stopController.js';

type RunReportOptions = Pick<RegisterOptions, 'dryRun' | 'watch'>;

export type RunReport = ReturnType<typeof createRunReport>;

export interface RunEnd {
  readonly mark: { readonly id: string; readonly name: string | undefined };
  readonly authorshipStated: boolean;
  readonly log: Registration['log'];
  readonly stopReason: StopReason | undefined;
  readonly advice: string | undefined;
}

/** Interval of progress lines when stderr is not a terminal, for logs. */
const LOG_INTERVAL_MS = 30_000;

const outcomeLabels: Readonly<Record<FileOutcome, string>> = {
  registered: 'registered',
  new: 'to be registered',
  yours: 'already registered',
  others: 'registered by another user',
  refused: 'refused',
  failed: 'failed',
  skipped: 'skipped',
};

export function createRunReport(context: Context, options: RunReportOptions) {
  const { dryRun, watch } = options;
  const hasProgressBar = context.isInteractive && !watch;
  /** With `--format`, each file is a line as soon as it has a result. */
  const printsFields = typeof context.format === 'object';
  let progress: Progress | undefined;
  let logTimer: NodeJS.Timeout | undefined;
  let retryMessage: string | undefined;

  function printAtOnce(result: FileResult): void {
    if (printsFields) context.printResult(result);
    if (isPrintedAtOnce(result, options)) context.print(formatResult(result));
    if (watch && hasLookalikes(result)) context.print(formatLookalikes(result));
  }

  function showChange(result?: FileResult): void {
    if (result) {
      retryMessage = undefined;
      printAtOnce(result);
    }
    if (!progress) return;
    const { done, total, bytes } = stats;
    const size = `${formatAmount(bytes, 'bytes')}${total ? ` of ${formatAmount(total.bytes, 'bytes')}` : ''}`;
    progress.update({ done, total: total?.files, detail: retryMessage ?? size });
  }
  const stats = new RunStats(
    (result) => context.format === 'json' || isProblem(result) || hasLookalikes(result),
    showChange,
  );

  return {
    stats,
    /** The bar needs the total number of files. */
    hasProgressBar,
    startProgress(): void {
      if (hasProgressBar)
        progress = context.showProgress({ label: dryRun ? 'Checking' : 'Registering', unit: 'files' });
      else if (!watch) logTimer = setInterval(() => context.printNote(formatCounts(stats)), LOG_INTERVAL_MS);
    },
    /** Shows next to the bar that a request is being retried, until the next result. */
    showRetry(message: Text): void {
      retryMessage = `retrying: ${message}`;
      showChange();
    },
    stopProgress(): void {
      clearInterval(logTimer);
      progress?.end();
    },
    /** Returns the exit code of the run. */
    printSummary(end: RunEnd): ExitCode {
      const { mark, authorshipStated, log, stopReason } = end;
      const { counts, done, remaining, hashed, fromJournal, sent, withCodes, similar, bytes, retained: files } = stats;
      const sums = { hashed, fromJournal, sent, withCodes, similar, bytes };
      const summary = { files: done + remaining, ...counts, left: remaining, ...sums };
      const stopped = stopReason ? { code: stopReason.code, message: stopReason.message } : null;
      if (!printsFields)
        context.printResult({ mark, authorshipStated, files, summary, log, stopped }, formatSummary(stats, end));
      else if (stopped) context.warn(toSentence(stopped.message));
      if (log?.status === 'included') context.printHint(text`The public log has the last registration.`);
      if (log?.status === 'pending') context.warn(formatPending(log.fingerprint));
      return exitCodeFor(stats, stopReason);
    },
  };
}

function formatPending(fingerprint: string): string {
  return (
    'The public log does not have the last registration yet: its receipt is pending. Read and check it later with ' +
    `\`provenance verify ${fingerprint}\`, or save it with \`provenance file bundle ${fingerprint}\`.`
  );
}

/** A definite no outweighs what could not be found out. */
function exitCodeFor({ counts }: RunStats, stopReason: StopReason | undefined): ExitCode {
  if (counts.others > 0 || counts.refused > 0 || stopReason?.exitCode === 1) return 1;
  return counts.failed > 0 ? 3 : (stopReason?.exitCode ?? 0);
}

/** Other results are only in the summary. */
function isPrintedAtOnce({ outcome }: FileResult, { dryRun, watch }: RunReportOptions): boolean {
  return dryRun ? outcome === 'new' : watch && outcome !== 'yours' && outcome !== 'skipped';
}

const problemOutcomes: ReadonlySet<FileOutcome> = new Set(['others', 'refused', 'failed', 'skipped']);

/** Symbolic links are only counted: there may be thousands, and skipping them is expected. */
function isProblem({ outcome, reason }: FileResult): boolean {
  return problemOutcomes.has(outcome) && reason !== SYMBOLIC_LINK;
}

function formatResult({ outcome, path, reason, mark }: FileResult): Text {
  const detail = reason ?? (outcome === 'others' && mark !== undefined ? `under ${mark}` : undefined);
  return text`${colorOutcome(outcome)}  ${path}${detail === undefined ? '' : `: ${detail}`}`;
}

function colorOutcome(outcome: FileOutcome): Text {
  const label = outcomeLabels[outcome];
  if (outcome === 'skipped') return yellow(label);
  return problemOutcomes.has(outcome) ? red(label) : green(label);
}

function formatCounts({ counts, done, remaining }: RunStats): Text {
  const parts = fileOutcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcomeLabels[outcome]}`);
  if (remaining > 0) parts.push(`${remaining} remaining`);
  const files = done + remaining;
  return text`${files} ${files === 1 ? 'file' : 'files'}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

function formatSummary(stats: RunStats, { stopReason, advice }: RunEnd): Text {
  const details: Piece[] = stats.retained.filter(isProblem).toSorted(compareOutcomes).map(formatResult);
  const links = stats.counts.skipped - stats.retained.filter(({ outcome }) => outcome === 'skipped').length;
  details.push(...formatAllLookalikes(stats));
  if (links > 0) details.push(`${links} symbolic ${links === 1 ? 'link was' : 'links were'} not followed`);
  if (stopReason) details.push(text`${red(toSentence(stopReason.message))}${advice === undefined ? '' : ` ${advice}`}`);
  return joinLines([bold(formatCounts(stats)), ...details]);
}

function formatAllLookalikes({ retained, similar }: RunStats): Piece[] {
  if (similar === 0) return [];
  const files = similar === 1 ? 'file looks' : 'files look';
  const title = `${similar} ${files} like older files of other Marks. That is a hint, not a proof of copying:`;
  return [yellow(title), ...retained.filter(hasLookalikes).map(formatLookalikes)];
}

function formatLookalikes({ path, similarTo = [] }: FileResult): Text {
  return joinLines(
    similarTo.map(({ fingerprint, mark, distance, hashesBy, registeredAt }) => {
      const bits = `${distance} of 64 bits differ${hashesBy === 'client' ? ' from the codes that its registrant sent' : ''}`;
      return text`${yellow('looks like')}  ${path}: a file of ${mark.name}, registered ${registeredAt} (${bits}): ${fingerprint}`;
    }),
  );
}

/** Not every message of the service ends with a full stop. */
function toSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function compareOutcomes(one: FileResult, two: FileResult): number {
  return fileOutcomes.indexOf(one.outcome) - fileOutcomes.indexOf(two.outcome);
}
