// What a command is: a declaration that parsing, help and shell completion are generated from, and a function to run.

import type { Context } from './context.js';
import type { ExitCode } from './exitCode.js';
import type { Arguments, Options, Values, ValuesOf } from './options.js';

interface Described {
  readonly name: string;
  /** One line for lists of commands. */
  readonly summary: string;
  readonly description: string;
}

export interface Command extends Described {
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** What command lines do, by the line as typed into a shell. */
  readonly examples: Readonly<Record<string, string>>;
  /** The first Ctrl-C only aborts the context's signal, and the command finishes itself; a second one kills it. */
  readonly finishesOnInterrupt?: true;
  /** Standard output carries a protocol; there is no `--json`. */
  readonly printsNoResult?: true;
  /** The exit code is 0 unless another one is returned. */
  run(context: Context, values: Values): Promise<ExitCode> | Promise<void>;
}

export interface TypedCommand<A extends Arguments, O extends Options> extends Command {
  readonly arguments?: A;
  readonly options?: O;
  run(context: Context, values: ValuesOf<A, O>): Promise<ExitCode> | Promise<void>;
}

/** Commands under a common name, such as `mark list`. */
export interface CommandGroup extends Described {
  readonly commands: readonly CommandOrGroup[];
  /** Commands by the headings of the help, which lists no others then. */
  readonly sections?: Readonly<Record<string, readonly CommandOrGroup[]>>;
}

export type CommandOrGroup = Command | CommandGroup;

export function isGroup(entry: CommandOrGroup): entry is CommandGroup {
  return 'commands' in entry;
}

/** Types the values that `run` receives by the declared arguments and options. */
export function defineCommand<const A extends Arguments, const O extends Options>(
  definition: TypedCommand<A, O>,
): Command {
  return definition;
}
