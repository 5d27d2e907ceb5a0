// Finds the command in the command line, and parses its arguments and options.

import { parseArgs } from 'node:util';
import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { UsageError } from './errors.js';
import { flagName, globalOptions, loadChoices, type Option, type Options, type Value, type Values } from './options.js';
import { suggestWord } from './suggest.js';

export interface MatchedCommand {
  readonly entry: CommandOrGroup;
  /** The names that lead to it: `['marks', 'list']`. */
  readonly path: readonly string[];
  /** The command line without those names. */
  readonly rest: readonly string[];
}

/** Global options may stand before and between the names. */
export function findCommand(root: CommandGroup, argv: readonly string[]): MatchedCommand {
  const positionals = tokenize(argv, globalOptions).filter((token) => token.kind === 'positional');
  const used = new Set<number>();
  const path: string[] = [];
  let entry: CommandOrGroup = root;
  for (const { value, index } of positionals) {
    if (!isGroup(entry)) break;
    entry = findMember(entry, value, path);
    path.push(value);
    used.add(index);
  }
  return { entry, path, rest: argv.filter((_, index) => !used.has(index)) };
}

export function findMember(group: CommandGroup, name: string, path: readonly string[]): CommandOrGroup {
  const member = group.commands.find((candidate) => candidate.name === name);
  if (member) return member;
  const names = group.commands.map((candidate) => candidate.name);
  throw new UsageError(`Unknown command '${[...path, name].join(' ')}'.${didYouMean(suggestWord(name, names))}`, path);
}

/** Whether an option of one of these names is given, even if the rest of the line is invalid. */
export function hasOption(argv: readonly string[], names: readonly string[], entry?: CommandOrGroup): boolean {
  const options = entry && !isGroup(entry) ? allOptions(entry) : globalOptions;
  return tokenize(argv, options).some((token) => token.kind === 'option' && names.includes(token.name));
}

function allOptions(command: Command): Options {
  return { ...globalOptions, ...command.options };
}

/** Checks a line that names no command: reports an unknown option before the missing command. */
export function checkGlobalOptions({ rest, path }: MatchedCommand): void {
  for (const token of tokenize(rest, globalOptions)) {
    if (token.kind === 'option') findOption(globalOptions, token, path);
  }
}

/** Throws UsageError for the first argument or option that does not match the declaration. */
export async function parseValues(command: Command, { path, rest }: MatchedCommand): Promise<Values> {
  const options = allOptions(command);
  const values: Record<string, Value> = {};
  for (const [name, { kind, many }] of Object.entries(options)) {
    values[name] = kind === 'flag' ? false : many ? [] : undefined;
  }
  const positionals: string[] = [];
  for (const token of tokenize(rest, options)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const [name, option] = findOption(options, token, path);
    const value = await parseOptionValue(option, token, path);
    const before = values[name];
    const isRepeated = typeof value !== 'boolean' && option.many && typeof before === 'object';
    values[name] = isRepeated ? [...before, value] : value;
  }
  return { ...values, ...(await parseArguments(command, positionals, path)) };
}

function findOption(options: Options, token: OptionToken, path: readonly string[]): readonly [string, Option] {
  const match = Object.entries(options).find(([name]) => flagName(name) === token.name);
  if (match) return match;
  const suggestion = suggestWord(token.name, Object.keys(options).map(flagName));
  throw new UsageError(`Unknown option ${token.rawName}.${didYouMean(suggestion && `--${suggestion}`)}`, path);
}

async function parseArguments(
  { arguments: declared = {} }: Command,
  positionals: readonly string[],
  path: readonly string[],
): Promise<Values> {
  const values: Record<string, Value> = {};
  let next = 0;
  for (const [name, argument] of Object.entries(declared)) {
    const { label, optional, many } = argument;
    const texts = positionals.slice(next, many ? undefined : next + 1);
    if (texts.length === 0 && !optional) throw new UsageError(`Missing argument ${label}.`, path);
    const parsed: (string | number)[] = [];
    for (const text of texts) parsed.push(await parseValue(text, argument, label, path));
    values[name] = many ? parsed : parsed[0];
    next += texts.length;
  }
  const extra = positionals[next];
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'.`, path);
  return values;
}

type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: 'option' }>;

async function parseOptionValue(
  option: Option,
  { rawName, value, inlineValue }: OptionToken,
  path: readonly string[],
): Promise<boolean | string | number> {
  const { kind, label = 'VALUE' } = option;
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName} does not take a value.`, path);
    return true;
  }
  // In `--output --force` the value is missing; one that starts with a dash is given as `--output=-name`.
  const isNextOption = !inlineValue && value !== undefined && value.length > 1 && value.startsWith('-');
  if (value === undefined || isNextOption) {
    throw new UsageError(`${rawName} requires a value: ${rawName} ${label}.`, path);
  }
  return parseValue(value, option, rawName, path);
}

async function parseValue(
  value: string,
  { kind, choices }: Pick<Option, 'kind' | 'choices'>,
  label: string,
  path: readonly string[],
): Promise<string | number> {
  const allowed = choices && (await loadChoices(choices));
  if (allowed && !allowed.includes(value)) {
    throw new UsageError(`${label} must be one of ${allowed.join(', ')}, not '${value}'.`, path);
  }
  if (kind !== 'integer') return value;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${label} must be a whole number, not '${value}'.`, path);
  return Number(value);
}

/** Not strict, so that the error messages are ours. */
function tokenize(argv: readonly string[], options: Options) {
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

function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
}
