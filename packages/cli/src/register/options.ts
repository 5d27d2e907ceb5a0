// The arguments and options of `register`, and of `watch run`.

import { authorshipOption } from '../authorship.js';
import { digitalSourceTypeOption } from '../digitalSourceType.js';
import { CONCURRENCY_RANGE } from '../inputs/options.js';
import { markOption } from '../names.js';
import type { ValuesOf } from '../options.js';

export const registerArguments = {
  paths: { label: 'PATH', summary: 'files and folders', many: true, completion: 'files' },
} as const;

export const registerOptions = {
  mark: markOption,
  newMark: {
    label: 'NAME',
    summary: 'register under your Mark with this name, and create it if you have none',
  },
  authorship: {
    ...authorshipOption,
    summary: `${authorshipOption.summary} (default: ask in a terminal, otherwise not-stated)`,
  },
  digitalSourceType: digitalSourceTypeOption,
  ignore: {
    label: 'PATTERN',
    many: true,
    summary: 'skip matching files, as in .gitignore; hidden files are skipped by default',
  },
  wait: { kind: 'flag', short: 'w', summary: 'wait until each file is confirmed on chain or has failed' },
  dryRun: { kind: 'flag', short: 'n', summary: 'hash and look up the files, but register nothing' },
  versions: { kind: 'flag', summary: 'register a changed file as a new version of the earlier one' },
  concurrency: {
    kind: 'integer',
    range: CONCURRENCY_RANGE,
    label: 'COUNT',
    summary: 'number of parallel requests (default: 8)',
  },
  noCodes: {
    kind: 'flag',
    summary: 'do not send the codes by which look-alikes of images and recordings are found',
  },
  noJournal: { kind: 'flag', summary: 'do not save progress; an interrupted run starts over' },
} as const;

export interface RegisterOptions extends ValuesOf<typeof registerArguments, typeof registerOptions> {
  /** Keep running, and register new and changed files until Ctrl-C. */
  readonly watch: boolean;
}
