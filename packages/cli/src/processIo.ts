// The streams, variables and interrupt signal of the process a command runs in. Tests pass their own.

import type { Readable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Output {
  write(text: string, onWritten?: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Input extends Readable {
  readonly isTTY?: boolean;
}

export interface ProcessIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
