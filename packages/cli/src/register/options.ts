// The arguments and options of `register`.

import { authorshipOption } from '../authorship.js';
import { markOption } from '../chooseMark.js';
import { digitalSourceTypeOption } from '../digitalSourceType.js';
import type { ValuesOf } from '../options.js';

export const registerArguments = {
  paths: { label: 'PATH', summary: 'files and folders', many: true, completion: 'files' },
} as const;

export const registerOptions = {
  mark: markOption,
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
  watch: { kind: 'flag', summary: 'keep running and register new and changed files until Ctrl-C' },
  versions: { kind: 'flag', summary: 'register a changed file as a new version of the earlier one' },
  concurrency: { kind: 'integer', label: 'COUNT', summary: 'number of parallel requests (default: 8)' },
  noCodes: {
    kind: 'flag',
    summary: 'do not send the codes by which look-alikes of images and recordings are found',
  },
  noJournal: { kind: 'flag', summary: 'do not save progress; an interrupted run starts over' },
} as const;

export type RegisterOptions = ValuesOf<typeof registerArguments, typeof registerOptions>;
