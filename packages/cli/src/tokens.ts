// Splits a command line into options and other words.

import { parseArgs } from 'node:util';
import { flagName, type Options } from './options.js';

/** Not strict, so that the error messages are ours. */
export function tokenize(argv: readonly string[], options: Options) {
  const known = Object.entries(options).map(([name, { kind, short }]) => [
    flagName(name),
    { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: true, ...(short && { short }) },
  ]);
  return parseArgs({
    args: [...argv],
    options: Object.fromEntries(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

export type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: 'option' }>;
