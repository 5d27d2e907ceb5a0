// How commands declare their arguments and options, and the TypeScript types of the parsed values.

/** A closed set of values; a function when loading them would slow down every start. */
export type Choices<Choice extends string = string> = readonly Choice[] | (() => Promise<readonly Choice[]>);

export interface Argument {
  /** Name of the value in help: FILE. */
  readonly label: string;
  readonly summary: string;
  readonly optional?: true;
  /** Takes all remaining values; only the last argument may. */
  readonly many?: true;
  /** Text by default. */
  readonly kind?: 'integer';
  readonly choices?: Choices;
  /** What a name in place of an ID is the name of. */
  readonly names?: 'mark' | 'organization';
  /** What shells complete it with when it has no choices. */
  readonly completion?: 'files' | 'commands';
}

export interface Option {
  /** Text by default; a `flag` has no value. */
  readonly kind?: 'flag' | 'integer';
  /** Smallest and largest value of an integer. */
  readonly range?: readonly [number, number];
  readonly short?: string;
  /** Placeholder of the value in help. */
  readonly label?: string;
  readonly summary: string;
  /** May be repeated. */
  readonly many?: true;
  readonly choices?: Choices;
  /** What a name in place of an ID is the name of. */
  readonly names?: 'mark' | 'organization';
  readonly completion?: 'files';
}

export type Arguments = Readonly<Record<string, Argument>>;
/** Keyed by the name used in code: `dryRun` is `--dry-run` on the command line. */
export type Options = Readonly<Record<string, Option>>;

type SingleValue<T> = T extends { choices: Choices<infer Choice> }
  ? Choice
  : T extends { kind: 'integer' }
    ? number
    : string;
type ArgumentValue<T> = T extends { many: true }
  ? readonly SingleValue<T>[]
  : T extends { optional: true }
    ? SingleValue<T> | undefined
    : SingleValue<T>;
type OptionValue<T> = T extends { kind: 'flag' } ? boolean : ArgumentValue<T & { optional: true }>;

/** The parsed values of a command with these arguments and options. */
export type ValuesOf<A extends Arguments, O extends Options> = {
  readonly [Name in keyof A]: ArgumentValue<A[Name]>;
} & {
  readonly [Name in keyof O]: OptionValue<O[Name]>;
};

export type Value = boolean | string | number | undefined | readonly (string | number)[];
/** Parsed arguments and options of any command, by name. */
export type Values = Readonly<Record<string, Value>>;

/** `dryRun` → `dry-run`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export async function loadChoices(choices: Choices): Promise<readonly string[]> {
  return typeof choices === 'function' ? choices() : choices;
}

export const globalOptions = {
  json: { kind: 'flag', summary: 'print one JSON document to standard output, also for errors' },
  format: { label: 'FIELDS', summary: "print fields of each result: id,name with tabs, or as in '{id}: {name}'" },
  profile: { short: 'p', label: 'NAME', summary: 'configuration profile to use' },
  url: { label: 'URL', summary: 'base URL of the service' },
  tokenFile: { label: 'FILE', summary: 'file that contains the token or API key', completion: 'files' },
  rpcUrl: { label: 'URL', summary: 'JSON-RPC node of the chain; several must agree', many: true },
  chainId: { label: 'ID', summary: 'id of the chain' },
  contract: { label: 'ADDRESS', summary: 'address of the registry contract' },
  trustAnchors: { label: 'FILE', summary: 'certificates (PEM) of the signers you trust', completion: 'files' },
  logKey: { label: 'KEY', summary: 'verifier key of the public log of the registry' },
  logContract: { label: 'ADDRESS', summary: 'contract that anchors the public log on chain' },
  witness: { label: 'KEY', summary: 'verifier key of a witness that the log must have; all of them', many: true },
  timeout: {
    kind: 'integer',
    // A day: timers of Node end at once after more than 24 days.
    range: [0, 86_400],
    label: 'SECONDS',
    summary: 'longest wait for the service or a node',
  },
  help: { kind: 'flag', short: 'h', summary: 'show help' },
} as const satisfies Options;
