// Names of commands and options that were replaced in version 0.3. They work until 0.4, with a note on what to type.

import { globalOptions } from './options.js';
import { tokenize } from './tokens.js';

/** Current names by old ones, as typed after `provenance`. Those of subcommands follow. */
export const oldNames: Readonly<Record<string, string>> = {
  service: 'watch',
  resolve: 'lookup',
  lookalikes: 'file lookalikes',
  filter: 'file filter',
  status: 'file status',
  list: 'file list',
  sign: 'file sign',
  bundle: 'file bundle',
  visibility: 'file visibility',
  trust: 'config trust',
  logout: 'account logout',
  whoami: 'account show',
  limits: 'account limits',
  subscribe: 'account subscribe',
  'account sessions': 'account session',
  'account invitations': 'invitation list',
  keys: 'org key',
  claims: 'claim',
  'claims make': 'claim create',
  marks: 'mark',
  'marks domains': 'mark domain',
  'marks members': 'mark member',
  'marks invite': 'invitation create',
  'marks invitations': 'invitation',
  'marks accept': 'invitation accept',
  'marks decline': 'invitation decline',
  orgs: 'org',
  'orgs members': 'org member',
  'orgs invite': 'invitation create',
  'orgs invitations': 'invitation',
  'orgs accept': 'invitation accept',
  'orgs decline': 'invitation decline',
};

/** What `status` without a file showed. */
const WATCH_STATUS = 'watch status';

/** Old options after the name of their command, and what replaces both. */
export const oldOptions: Readonly<Record<string, string>> = {
  'verify --offline': 'verify --bundle',
  'register --watch': 'watch run',
};

interface CurrentLine {
  readonly argv: readonly string[];
  /** Words of the line, by the global options. */
  readonly tokens: Tokens;
  /** What to tell the user, if the line had an old name. */
  readonly renaming: string | undefined;
}

/** Replaces old names in a command line. */
export function replaceOldNames(argv: readonly string[]): CurrentLine {
  const tokens = tokenize(argv, globalOptions);
  const changed = replaceOldCommand(argv, tokens) ?? replaceOldOption(argv, tokens);
  return changed
    ? { ...changed, tokens: tokenize(changed.argv, globalOptions) }
    : { argv, tokens, renaming: undefined };
}

type Tokens = ReturnType<typeof tokenize>;
type ChangedLine = Omit<CurrentLine, 'tokens'>;

function replaceOldCommand(argv: readonly string[], tokens: Tokens): ChangedLine | undefined {
  const words = tokens.filter((token) => token.kind === 'positional');
  const renamed = [words.slice(0, 2), words.slice(0, 1)].find((start) => Object.hasOwn(oldNames, joinWords(start)));
  if (!renamed) return undefined;
  const old = joinWords(renamed);
  const current = old === 'status' && words.length === 1 ? WATCH_STATUS : (oldNames[old] ?? old);
  const [first, ...others] = renamed.map(({ index }) => index);
  const changed = argv.flatMap((word, index) => {
    if (index === first) return current.split(' ');
    return others.includes(index) ? [] : [word];
  });
  return { argv: changed, renaming: describeRenaming(old, current) };
}

function joinWords(words: readonly { readonly value: string }[]): string {
  return words.map(({ value }) => value).join(' ');
}

function replaceOldOption(argv: readonly string[], tokens: Tokens): ChangedLine | undefined {
  const command = tokens.find((token) => token.kind === 'positional');
  const options = tokens.filter((token) => token.kind === 'option');
  const option = options.find(({ rawName }) => Object.hasOwn(oldOptions, `${command?.value} ${rawName}`));
  if (!command || !option) return undefined;
  const old = `${command.value} ${option.rawName}`;
  const current = oldOptions[old] ?? old;
  const [names = '', name] = current.split(/ (?=-)/);
  const changed = argv.flatMap((word, index) => {
    if (index === command.index) return names.split(' ');
    if (index !== option.index) return [word];
    return name === undefined ? [] : [word.replace(option.rawName, name)];
  });
  return { argv: changed, renaming: describeRenaming(old, current) };
}

function describeRenaming(old: string, current: string): string {
  return `'provenance ${old}' is now 'provenance ${current}'. The old name stops working in version 0.4.`;
}
