// A command beside the service: what its process gives it, and how it ends.

import type { Writable } from 'node:stream';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { ConfigError } from '../config/config.js';
import { CloserStack } from '../jobs/closers.js';

export const EXIT_BAD_SETTINGS = 2;

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Standard output: results only. */
  readonly output: Writable;
  /** Prints a line for the operator on standard error. */
  readonly notify: (message: string) => void;
  /** Makes a signal to the process abort the result instead of ending the process. */
  readonly listenForStop: () => AbortSignal;
}

export interface CommandParts extends CommandContext {
  /** What is pushed is closed when the command ends, also when it fails. */
  readonly closers: CloserStack;
  /** Ends the command because it has lost something that it needs. */
  readonly fail: (reason: unknown) => void;
}

export interface Command {
  /** Printed for `--help`. */
  readonly help: string;
  /** Returns the exit code. */
  readonly run: (args: readonly string[], parts: CommandParts) => Promise<number>;
  readonly describeFailure: (error: unknown) => string;
  readonly exitCodeOfFailure: number;
}

/** Runs the command and returns its exit code. Wrong arguments and settings are reported one to a line. */
export async function runCommand(
  { help, run, ...failure }: Command,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  if (args.includes('--help')) {
    context.output.write(help);
    return 0;
  }
  const closers = new CloserStack();
  try {
    return await new Promise<number>((resolve, reject) => {
      run(args, { ...context, closers, fail: reject }).then(resolve, reject);
    }).finally(() => closers.close());
  } catch (error) {
    return reportFailure(error, context.notify, failure);
  }
}

/** Prints why the process fails, and returns its exit code. */
export function reportFailure(
  error: unknown,
  notify: (message: string) => void,
  { describeFailure, exitCodeOfFailure }: Pick<Command, 'describeFailure' | 'exitCodeOfFailure'>,
): number {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) notify(problem);
    return EXIT_BAD_SETTINGS;
  }
  notify(describeFailure(error));
  return exitCodeOfFailure;
}

/** Messages for the operator go to standard error; standard output is for the log, or for results. */
export function printMessage(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Includes the cause: "the database is unavailable" alone does not tell an operator what to fix. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Calls `parseArgs`; unknown options and missing values are reported as bad settings. */
export function parseArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** An option without a value. */
export const flag = { type: 'boolean', default: false } as const;
