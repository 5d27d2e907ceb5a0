// What a run says: how far it is while it runs, and what came of it in the end.

import type { ExitCode } from '../command.js';
import type { Context } from '../context.js';
import { amount } from '../progress.js';
import { bold, green, lines, type Piece, red, type Text, text, yellow } from '../text.js';
import { type FileResult, type Outcome, outcomes, Tally } from './stats.js';
import type { Stop } from './stopController.js';
import { LINK } from './walk.js';

export interface ReportOptions {
  readonly dryRun: boolean;
  readonly watch: boolean;
}

export interface Report {
  readonly tally: Tally;
  /** Whether somebody wants to know how much there is. */
  readonly isWatched: boolean;
  begin(): void;
  /** A request is tried again: shown beside the bar until something else happens. */
  retrying(line: Text): void;
  end(): void;
  conclude(ending: Ending): ExitCode;
}

export interface Ending {
  readonly mark: { readonly id: string; readonly name: string | undefined };
  readonly stop: Stop | undefined;
  /** What helps now. */
  readonly advice: string | undefined;
}

/** For logs: often enough to see that it goes on. */
const LINE_EVERY_MS = 30_000;

const names: Readonly<Record<Outcome, string>> = {
  registered: 'registered',
  new: 'to be registered',
  yours: 'already yours',
  others: 'registered by somebody else',
  refused: 'refused',
  failed: 'failed',
  skipped: 'skipped',
};

export function createReport(context: Context, options: ReportOptions): Report {
  const { dryRun, watch } = options;
  const isWatched = process.stderr.isTTY === true && !watch;
  let progress: ReturnType<Context['progress']> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let news: string | undefined;

  function change(result?: FileResult): void {
    if (result) {
      news = undefined;
      if (isPrinted(result, options)) context.print(resultLine(result));
    }
    if (!progress) return;
    const { done, total, bytes } = tally;
    const read = `${amount(bytes, 'bytes')}${total ? ` of ${amount(total.bytes, 'bytes')}` : ''}`;
    progress.update({ done, total: total?.files, detail: news ?? read });
  }
  const tally = new Tally((result) => context.json || isProblem(result), change);

  return {
    tally,
    isWatched,
    begin() {
      if (isWatched) progress = context.progress({ label: dryRun ? 'Checking' : 'Registering', unit: 'files' });
      else if (!watch) timer = setInterval(() => context.note(countsLine(tally)), LINE_EVERY_MS);
    },
    retrying(line) {
      news = `trying again: ${line}`;
      change();
    },
    end() {
      clearInterval(timer);
      progress?.end();
    },
    conclude(ending) {
      const { mark, stop } = ending;
      const { counts, done, left, hashed, fromJournal, sent, bytes, kept: files } = tally;
      const summary = { files: done + left, ...counts, left, hashed, fromJournal, sent, bytes };
      const stopped = stop ? { code: stop.code, message: stop.message } : null;
      context.result({ mark, files, summary, stopped }, forPeople(tally, ending));
      return exitCodeOf(tally, stop);
    },
  };
}

/** A definite no outweighs what could not be found out. */
function exitCodeOf({ counts }: Tally, stop: Stop | undefined): ExitCode {
  if (counts.others > 0 || counts.refused > 0 || stop?.exitCode === 1) return 1;
  return counts.failed > 0 ? 3 : (stop?.exitCode ?? 0);
}

/** Where nobody waits for the summary, or wants to know more than that. */
function isPrinted({ outcome }: FileResult, { dryRun, watch }: ReportOptions): boolean {
  return dryRun ? outcome === 'new' : watch && outcome !== 'yours' && outcome !== 'skipped';
}

const problems = ['others', 'refused', 'failed', 'skipped'] as const satisfies readonly Outcome[];

/** Links are only counted: there may be thousands, and they are meant to be passed over. */
function isProblem({ outcome, reason }: FileResult): boolean {
  return problems.some((problem) => problem === outcome) && reason !== LINK;
}

function resultLine({ outcome, path, reason, mark }: FileResult): Text {
  const why = reason ?? (outcome === 'others' && mark !== undefined ? `under ${mark}` : undefined);
  return text`${paint(outcome, names[outcome])}  ${path}${why === undefined ? '' : `: ${why}`}`;
}

function paint(outcome: Outcome, words: string): Text {
  if (outcome === 'skipped') return yellow(words);
  return problems.some((problem) => problem === outcome) ? red(words) : green(words);
}

function countsLine({ counts, done, left }: Tally): Text {
  const parts = outcomes.flatMap((outcome) => (counts[outcome] > 0 ? `${counts[outcome]} ${names[outcome]}` : []));
  if (left > 0) parts.push(`${left} left`);
  const files = done + left;
  return text`${files} ${files === 1 ? 'file' : 'files'}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

function forPeople(tally: Tally, { stop, advice }: Ending): Text {
  const shown: Piece[] = tally.kept.filter(isProblem).toSorted(byOutcome).map(resultLine);
  const links = tally.counts.skipped - tally.kept.filter(({ outcome }) => outcome === 'skipped').length;
  if (links > 0) shown.push(`${links} symbolic ${links === 1 ? 'link was' : 'links were'} not followed`);
  if (stop) shown.push(text`${red(sentence(stop.message))}${advice === undefined ? '' : ` ${advice}`}`);
  return lines([bold(countsLine(tally)), ...shown]);
}

/** Not everything that a service says ends with a full stop. */
function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function byOutcome(one: FileResult, two: FileResult): number {
  return outcomes.indexOf(one.outcome) - outcomes.indexOf(two.outcome);
}
