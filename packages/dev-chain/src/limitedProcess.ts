// Starts a Node program as a child process with a memory limit, and exchanges messages with it.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface LimitedProcessOptions {
  readonly file: URL;
  readonly args?: readonly string[];
  /** Limit of the memory that the process writes to, except on Windows. An allocation beyond it ends the process. */
  readonly maxMemoryBytes: number;
  /** Starts the process in a session of its own, which a signal to our process group does not reach. */
  readonly detached?: boolean;
}

/** Sets limits, which Node cannot. Windows has none. */
const SHELL = '/bin/sh';

/** The child gets nothing of our environment, which may contain secrets, and ends with us if it listens to `disconnect`. */
export function startLimitedProcess(options: LimitedProcessOptions): ChildProcess {
  const { file, args = [], maxMemoryBytes, detached = false } = options;
  // RLIMIT_DATA, in kilobytes: V8 reserves far more address space than it uses. An abort writes no memory to disk.
  const script = `ulimit -c 0 && ulimit -d ${Math.floor(maxMemoryBytes / 1_024)} && exec "$0" "$@"`;
  const program = [process.execPath, fileURLToPath(file), ...args];
  const [command = '', ...rest] = existsSync(SHELL) ? [SHELL, '-c', script, ...program] : program;
  return spawn(command, rest, {
    env: { SystemRoot: process.env['SystemRoot'] },
    detached,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'json',
  });
}
