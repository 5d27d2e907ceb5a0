// What a command is: data, from which its arguments are read and its help and the shells' completion are made.

import type { Context } from './context.js';

/** 0: yes; 1: no; 2: wrong use; 3: could not find out. */
export type ExitCode = 0 | 1 | 2 | 3;

/** A closed set of words; behind a function when finding them out costs time at every start. */
export type Choices<Word extends string = string> = readonly Word[] | (() => Promise<readonly Word[]>);

export interface Argument {
  /** As help shows it: FILE. */
  readonly label: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes all that follow; only the last argument may. */
  readonly many?: true;
  /** A text, if nothing is said. */
  readonly kind?: 'integer';
  readonly choices?: Choices;
  /** What shells complete it with, if not with choices. */
  readonly completion?: 'files' | 'commands';
}

export interface Option {
  /** `flag` has no value. */
  readonly kind: 'flag' | 'text' | 'integer';
  readonly short?: string;
  /** What help calls the value. */
  readonly label?: string;
  readonly summary: string;
  /** May be given several times. */
  readonly many?: true;
  readonly choices?: Choices;
  readonly completion?: 'files';
}

export type Arguments = Readonly<Record<string, Argument>>;
/** By the name that the code uses: `dryRun` is `--dry-run` for people. */
export type Options = Readonly<Record<string, Option>>;

type WordOf<T> = T extends { choices: Choices<infer Word> } ? Word : T extends { kind: 'integer' } ? number : string;
type ArgumentValue<T> = T extends { many: true }
  ? readonly WordOf<T>[]
  : T extends { optional: true }
    ? WordOf<T> | undefined
    : WordOf<T>;
type OptionValue<T> = T extends { kind: 'flag' }
  ? boolean
  : T extends { many: true }
    ? readonly WordOf<T>[]
    : WordOf<T> | undefined;

/** What was given on the command line, by name, checked by the table. */
export type Given<A extends Arguments, O extends Options> = { readonly [Name in keyof A]: ArgumentValue<A[Name]> } & {
  readonly [Name in keyof O]: OptionValue<O[Name]>;
};

interface Described {
  readonly name: string;
  /** One line for lists of commands. */
  readonly summary: string;
  readonly description: string;
}

export interface Example {
  /** As typed into a shell. */
  readonly run: string;
  readonly meaning: string;
}

/** A value of the command line, read by the table. */
export type Value = boolean | string | number | undefined | readonly (string | number)[];
export type Values = Readonly<Record<string, Value>>;

export interface Command extends Described {
  readonly arguments?: Arguments;
  readonly options?: Options;
  readonly examples: readonly Example[];
  /** Ctrl-C only aborts the context's signal, and the command ends by itself; a second one ends it at once. */
  readonly endsByItself?: true;
  run(context: Context, given: Values): Promise<ExitCode>;
}

/** A command whose `run` knows what its own table gives. */
interface Definition<A extends Arguments, O extends Options> extends Command {
  readonly arguments?: A;
  readonly options?: O;
  run(context: Context, given: Given<A, O>): Promise<ExitCode>;
}

/** Commands under a common name, such as `marks list`. */
export interface Group extends Described {
  readonly commands: readonly Entry[];
}

export type Entry = Command | Group;

export function isGroup(entry: Entry): entry is Group {
  return 'commands' in entry;
}

/** Gives `run` the types that the table says. */
export function command<const A extends Arguments, const O extends Options>(definition: Definition<A, O>): Command {
  return definition;
}

/** `dryRun` → `dry-run`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Options that every command takes; the context has what they say. */
export const commonOptions = {
  json: { kind: 'flag', summary: 'one JSON document on standard output, errors too' },
  profile: { kind: 'text', short: 'p', label: 'NAME', summary: 'the profile of the configuration to use' },
  url: { kind: 'text', label: 'URL', summary: 'where the service is' },
  tokenFile: { kind: 'text', label: 'FILE', summary: 'file with the token or API key to use', completion: 'files' },
  rpcUrl: { kind: 'text', label: 'URL', summary: 'JSON-RPC node of the chain' },
  contract: { kind: 'text', label: 'ADDRESS', summary: 'the registry contract on the chain' },
  trustAnchors: {
    kind: 'text',
    label: 'FILE',
    summary: 'certificates (PEM) of those whom you trust to sign',
    completion: 'files',
  },
  help: { kind: 'flag', short: 'h', summary: 'show help' },
} as const satisfies Options;
