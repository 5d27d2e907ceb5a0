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

/** More open files and requests would only queue up. */
export const CONCURRENCY_RANGE = [1, 64] as const;

export function concurrencyOption(fallback: number) {
  return {
    kind: 'integer',
    range: CONCURRENCY_RANGE,
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

/** The argument that stands for standard input. */
export const STDIN = '-';

/** Throws UsageError when the options do not fit together. */
export function checkInputValues({ files, filesFrom, null: isNull }: InputValues): void {
  const fail = (message: string) => {
    throw new UsageError(message);
  };
  if (files.length === 0 && filesFrom === undefined) fail('Missing argument FILE.');
  if (isNull && filesFrom === undefined) fail('--null requires --files-from.');
  const stdinUses = files.filter((file) => file === STDIN).length + (filesFrom === STDIN ? 1 : 0);
  if (stdinUses > 1) fail('Standard input can be read only once.');
}
