// Finds the command in the command line, and parses its arguments and options.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { UsageError } from './errors.js';
import { replaceOldNames } from './oldNames.js';
import { flagName, globalOptions, loadChoices, type Option, type Options, type Value, type Values } from './options.js';
import { suggestWord } from './suggest.js';
import { type OptionToken, tokenize } from './tokens.js';

export interface MatchedCommand {
  readonly entry: CommandOrGroup;
  /** The names that lead to it: `['mark', 'list']`. */
  readonly path: readonly string[];
  /** The command line without those names. */
  readonly rest: readonly string[];
  /** What to type instead of an old name in the command line, if it has one. */
  readonly renaming: string | undefined;
}

/** Global options may stand before and between the names. */
export function findCommand(root: CommandGroup, typed: readonly string[]): MatchedCommand {
  const { argv, tokens, renaming } = replaceOldNames(typed);
  const positionals = tokens.filter((token) => token.kind === 'positional');
  const used = new Set<number>();
  const path: string[] = [];
  let entry: CommandOrGroup = root;
  for (const { value, index } of positionals) {
    if (!isGroup(entry)) break;
    entry = findMember(entry, value, path);
    path.push(value);
    used.add(index);
  }
  return { entry, path, rest: argv.filter((_, index) => !used.has(index)), renaming };
}

function findMember(group: CommandGroup, name: string, path: readonly string[]): CommandOrGroup {
  const member = group.commands.find((candidate) => candidate.name === name);
  if (member) return member;
  const names = group.commands.map((candidate) => candidate.name);
  throw new UsageError(`Unknown command '${[...path, name].join(' ')}'.${didYouMean(suggestWord(name, names))}`, path);
}

/** Whether an option of one of these names is given, even if the rest of the line is invalid. */
export function hasOption(argv: readonly string[], names: readonly string[], entry?: CommandOrGroup): boolean {
  // There may be thousands of file names.
  if (!argv.some((word) => word.startsWith('-'))) return false;
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
    const allowed = argument.choices && (await loadChoices(argument.choices));
    const parsed = texts.map((text) => parseValue(text, { ...argument, allowed }, label, path));
    values[name] = many ? parsed : parsed[0];
    next += texts.length;
  }
  const extra = positionals[next];
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}'.`, path);
  return values;
}

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
  const allowed = option.choices && (await loadChoices(option.choices));
  return parseValue(value, { ...option, allowed }, rawName, path);
}

function parseValue(
  value: string,
  {
    kind,
    range = [0, 999_999_999],
    allowed,
  }: Pick<Option, 'kind' | 'range'> & { allowed?: readonly string[] | undefined },
  label: string,
  path: readonly string[],
): string | number {
  if (allowed && !allowed.includes(value)) {
    throw new UsageError(`${label} must be one of ${allowed.join(', ')}, not '${value}'.`, path);
  }
  if (kind !== 'integer') return value;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${label} must be a whole number, not '${value}'.`, path);
  const [min, max] = range;
  if (Number(value) >= min && Number(value) <= max) return Number(value);
  throw new UsageError(`${label} must be a number from ${min} to ${max}.`, path);
}

function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
}
