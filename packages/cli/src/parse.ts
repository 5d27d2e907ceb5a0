// Reads the command line by the table of commands.

import { parseArgs } from 'node:util';
import {
  type Choices,
  type Command,
  commonOptions,
  type Entry,
  flagName,
  type Group,
  isGroup,
  type Option,
  type Options,
  type Value,
  type Values,
} from './command.js';
import { UsageError } from './errors.js';
import { nearest } from './suggest.js';

export interface Found {
  readonly entry: Entry;
  /** The names that lead to it. */
  readonly path: readonly string[];
  /** What is left of the command line without them. */
  readonly rest: readonly string[];
}

/** Which command is meant. Names may stand between options that every command takes. */
export function findCommand(root: Group, argv: readonly string[]): Found {
  const { tokens } = tokenize(argv, commonOptions);
  const names = tokens.filter((token) => token.kind === 'positional');
  const used = new Set<number>();
  const path: string[] = [];
  let entry: Entry = root;
  for (const { value, index } of names) {
    if (!isGroup(entry)) break;
    entry = member(entry, value, path);
    path.push(value);
    used.add(index);
  }
  return { entry, path, rest: argv.filter((_, index) => !used.has(index)) };
}

/** The command or group of that name. */
export function member(group: Group, name: string, path: readonly string[]): Entry {
  const found = group.commands.find((candidate) => candidate.name === name);
  if (found) return found;
  const names = group.commands.map((candidate) => candidate.name);
  throw new UsageError(`There is no command '${[...path, name].join(' ')}'${didYouMean(nearest(name, names))}`, path);
}

/** Whether an option of one of those names is given, whatever else is wrong with the line. */
export function asksFor(argv: readonly string[], names: readonly string[], entry?: Entry): boolean {
  const options = entry && !isGroup(entry) ? optionsOf(entry) : commonOptions;
  return tokenize(argv, options).tokens.some((token) => token.kind === 'option' && names.includes(token.name));
}

function optionsOf(command: Command): Options {
  return { ...commonOptions, ...command.options };
}

/** Where no command is named, a wrong option is what should be said first. */
export function checkCommonOptions({ rest, path }: Found): void {
  for (const token of tokenize(rest, commonOptions).tokens) {
    if (token.kind === 'option') findOption(commonOptions, token, path);
  }
}

/** Options and arguments by their names; throws UsageError at the first thing that the table does not have. */
export async function readGiven(command: Command, { path, rest }: Pick<Found, 'path' | 'rest'>): Promise<Values> {
  const options = optionsOf(command);
  const given: Record<string, Value> = {};
  for (const [name, option] of Object.entries(options)) given[name] = notGiven(option);
  const positionals: string[] = [];
  for (const token of tokenize(rest, options).tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const [name, option] = findOption(options, token, path);
    const value = await optionValue(option, token, path);
    given[name] = typeof value === 'boolean' || !option.many ? value : [...several(given[name]), value];
  }
  await readArguments(command, positionals, path, given);
  return given;
}

function several(value: Value): readonly (string | number)[] {
  return typeof value === 'object' ? value : [];
}

function notGiven({ kind, many }: Option): Value {
  if (kind === 'flag') return false;
  return many ? [] : undefined;
}

function findOption(
  options: Options,
  token: { readonly name: string; readonly rawName: string },
  path: readonly string[],
): readonly [string, Option] {
  const found = Object.entries(options).find(([name]) => flagName(name) === token.name);
  if (found) return found;
  const meant = nearest(token.name, Object.keys(options).map(flagName));
  throw new UsageError(`There is no option ${token.rawName}${didYouMean(meant, '--')}`, path);
}

async function readArguments(
  { arguments: table = {} }: Command,
  positionals: readonly string[],
  path: readonly string[],
  given: Record<string, Value>,
): Promise<void> {
  let next = 0;
  for (const [name, argument] of Object.entries(table)) {
    const { label, optional, many } = argument;
    const texts = positionals.slice(next, many ? undefined : next + 1);
    if (texts.length === 0 && !optional) throw new UsageError(`${label} is missing.`, path);
    const values: (string | number)[] = [];
    for (const text of texts) values.push(await checked(text, argument, label, path));
    given[name] = many ? values : values[0];
    next += texts.length;
  }
  const extra = positionals[next];
  if (extra !== undefined) throw new UsageError(`'${extra}' is one argument too many.`, path);
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

async function optionValue(
  option: Option,
  { rawName, value, inlineValue }: OptionToken,
  path: readonly string[],
): Promise<boolean | string | number> {
  const { kind, label = 'VALUE' } = option;
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`, path);
    return true;
  }
  // `--output --force` has forgotten the file's name; a value that begins with a dash is written after `=`.
  const forgotten = !inlineValue && value !== undefined && value.length > 1 && value.startsWith('-');
  if (value === undefined || forgotten) throw new UsageError(`${rawName} needs a value: ${rawName} ${label}.`, path);
  return checked(value, option, rawName, path);
}

/** The value as the table wants it. */
async function checked(
  value: string,
  { kind, choices }: Pick<Option, 'choices'> & { readonly kind?: Option['kind'] },
  label: string,
  path: readonly string[],
): Promise<string | number> {
  const words = choices && (await wordsOf(choices));
  if (words && !words.includes(value)) {
    throw new UsageError(`${label} is one of ${words.join(', ')}; not '${value}'.`, path);
  }
  if (kind !== 'integer') return value;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${label} is a whole number, not '${value}'.`, path);
  return Number(value);
}

export async function wordsOf(choices: Choices): Promise<readonly string[]> {
  return typeof choices === 'function' ? choices() : choices;
}

/** Lenient, so that what is wrong with it can be said in our own words. */
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
  });
}

function didYouMean(word: string | undefined, dashes = ''): string {
  return word === undefined ? '.' : `; did you mean '${dashes}${word}'?`;
}
