// Runs a command over many inputs: in parallel, with results in the order of the inputs, progress, and text, JSON or CSV as
// output. Keeps only counts, and the results for the one document of `--json`.

import type { Context } from '../context.js';
import { CommandError } from '../errors.js';
import { type ExitCode, worstExitCode } from '../exitCode.js';
import type { ProgressOptions } from '../progress.js';
import { type Input, listInputs } from './inputs.js';
import { mapInOrder } from './mapInOrder.js';
import { startMeter } from './meter.js';
import { checkInputValues, type InputValues } from './options.js';
import { createPrinter, type InputOutcome, type ResultFormats } from './printer.js';

export type ReadableInput = Extract<Input, { kind: 'fingerprint' | 'stdin' | 'file' }>;

export interface InputCommand<R> {
  readonly defaultConcurrency: number;
  readonly takesFingerprints: boolean;
  /** Default: all files in a folder are inputs. */
  readonly takesFolders?: boolean;
  readonly progress: ProgressOptions;
  readonly formats: ResultFormats<R>;
  /** Rejects with CommandError when this input has no result. `onBytes` gets the number of bytes read so far. */
  process(input: ReadableInput, onBytes: (bytes: number) => void): Promise<R>;
  /** The name under which the result is counted. */
  outcomeOf(result: R): string;
  /** The name under which inputs without a result are counted. Default: `could not be read`. */
  readonly failure?: string;
  exitCodeOf(result: R): ExitCode;
}

export interface InputRunEnd {
  readonly exitCode: ExitCode;
  readonly files: number;
  readonly bytes: number;
  /** Results by outcome, in the order of their first appearance. */
  readonly counts: ReadonlyMap<string, number>;
}

const FAILED = 'could not be read';
/** Neither file nor folder, in a folder. */
const SKIPPED = 'skipped';

export async function runOverInputs<R>(
  context: Context,
  values: InputValues,
  command: InputCommand<R>,
): Promise<InputRunEnd> {
  checkInputValues(values);
  const { files, filesFrom, ignore, null: isNullSeparated } = values;
  const { cwd, readRawArguments } = context;
  const { takesFingerprints, takesFolders = true } = command;
  const sources = {
    ...{ files, filesFrom, isNullSeparated, ignore, takesFingerprints, takesFolders, cwd, readRawArguments },
    get stdin() {
      return context.stdin;
    },
  };
  const counts = new Map<string, number>();
  const codes = new Set<ExitCode>();
  const printer = createPrinter(context, command.formats);
  const meter = startMeter(context, sources, command.progress);

  async function processInput(input: Input): Promise<InputOutcome<R> | undefined> {
    const { name } = input;
    if (input.kind === 'skipped') return undefined;
    if (input.kind === 'unreadable') return { name, error: input.error };
    try {
      return { name, result: await command.process(input, meter.trackFile()) };
    } catch (error) {
      if (error instanceof CommandError) return { name, error };
      throw error;
    }
  }

  function count(outcome: InputOutcome<R> | undefined): void {
    const name = outcome
      ? 'error' in outcome
        ? (command.failure ?? FAILED)
        : command.outcomeOf(outcome.result)
      : SKIPPED;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (outcome) codes.add('error' in outcome ? outcome.error.exitCode : command.exitCodeOf(outcome.result));
  }

  const concurrency = values.concurrency ?? command.defaultConcurrency;
  try {
    for await (const outcome of mapInOrder(listInputs(sources), concurrency, processInput)) {
      count(outcome);
      if (!outcome) continue;
      // First, so that the progress is removed again before the last result.
      meter.finishFile();
      printer.print(outcome);
      await context.flush();
    }
  } finally {
    meter.end();
  }
  printer.end();
  const done = meter.done();
  if (done.files === 0) context.warn('No files were found.');
  // Scripts must not take "nothing to check" for "everything is fine".
  return { ...done, counts, exitCode: done.files === 0 ? 3 : worstExitCode(codes) };
}

/** `7 files: 5 verified, 2 unknown`. */
export function describeCounts({ files, counts }: Pick<InputRunEnd, 'files' | 'counts'>): string {
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
  return `${files} ${files === 1 ? 'file' : 'files'}: ${parts.join(', ')}`;
}
