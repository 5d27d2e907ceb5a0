// The arguments and options that `hash` and `verify` share: which files to read, and how to print the results.

import { UsageError } from '../errors.js';
import type { ValuesOf } from '../options.js';

export const inputOptions = {
  filesFrom: {
    label: 'FILE',
    summary: 'read paths from a file, one a line; - for standard input',
    completion: 'files',
  },
  null: { kind: 'flag', short: '0', summary: 'with --files-from: a NUL byte ends each path, as in find -print0' },
  ignore: {
    label: 'PATTERN',
    many: true,
    summary: 'skip matching files in folders, as in .gitignore; hidden files are skipped by default',
  },
  jsonLines: { kind: 'flag', summary: 'print one JSON object a line for each file, as soon as it is known' },
  csv: { kind: 'flag', summary: 'print comma-separated values with a header line' },
} as const;

export function concurrencyOption(fallback: number) {
  return {
    kind: 'integer',
    label: 'COUNT',
    summary: `number of files in progress at once (default: ${fallback})`,
  } as const;
}

export function fileArgument(summary: string) {
  return { label: 'FILE', summary, many: true, optional: true, completion: 'files' } as const;
}

export type InputValues = ValuesOf<
  { files: ReturnType<typeof fileArgument> },
  typeof inputOptions & { concurrency: ReturnType<typeof concurrencyOption> }
>;

export type OutputFormat = 'text' | 'json' | 'json-lines' | 'csv';

/** Many open files and requests gain nothing more. */
const MAX_CONCURRENCY = 64;
/** The argument that stands for standard input. */
export const STDIN = '-';

/** Throws UsageError when the options do not fit together. */
export function checkInputValues({ files, filesFrom, null: isNull, concurrency }: InputValues, command: string): void {
  const fail = (message: string) => {
    throw new UsageError(message, [command]);
  };
  if (files.length === 0 && filesFrom === undefined) fail('Missing argument FILE.');
  if (isNull && filesFrom === undefined) fail('--null requires --files-from.');
  const stdinUses = files.filter((file) => file === STDIN).length + (filesFrom === STDIN ? 1 : 0);
  if (stdinUses > 1) fail('Standard input can be read only once.');
  if (concurrency !== undefined && (concurrency < 1 || concurrency > MAX_CONCURRENCY))
    fail(`--concurrency must be a number from 1 to ${MAX_CONCURRENCY}.`);
}

export function chooseFormat(json: boolean, { jsonLines, csv }: InputValues, command: string): OutputFormat {
  if (Number(json) + Number(jsonLines) + Number(csv) > 1)
    throw new UsageError('--json, --json-lines and --csv cannot be combined.', [command]);
  if (json) return 'json';
  return jsonLines ? 'json-lines' : csv ? 'csv' : 'text';
}
