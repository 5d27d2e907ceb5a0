// What a command has of the process it runs in: streams, variables, working directory and interrupt signal. Tests pass their
// own.

import type { Readable, Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Output {
  write(text: string, onWritten?: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type OutputStream = Writable & Output;

export interface Input extends Readable {
  readonly isTTY?: boolean;
}

export interface ProcessIo {
  readonly stdin: Input;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Called when Ctrl-C is typed at a prompt, where the terminal sends no signal. */
  readonly onInterruptKey: () => void;
  /** The arguments as the system has them: Node decodes lossily what is not UTF-8. */
  readonly readRawArguments: () => readonly Buffer[];
  /** The command line that starts this program, without arguments. */
  readonly program: readonly string[];
}
