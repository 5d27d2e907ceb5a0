// Starts a Node program as a child process with a memory limit, and exchanges messages with it.

import { type ChildProcess, spawn } from 'node:child_process';

export interface LimitedProcessOptions {
  readonly file: URL;
  readonly args?: readonly string[];
  /** Limit of the memory that the process writes to. An allocation beyond it ends the process. */
  readonly maxMemoryBytes: number;
  /** Starts the process in a session of its own, which a signal to our process group does not reach. */
  readonly detached?: boolean;
}

/** The child gets nothing of our environment, which may contain secrets, and ends with us if it listens to `disconnect`. */
export function startLimitedProcess(options: LimitedProcessOptions): ChildProcess {
  const { file, args = [], maxMemoryBytes, detached = false } = options;
  // RLIMIT_DATA, in kilobytes: V8 reserves far more address space than it uses. An abort writes no memory to disk.
  const script = `ulimit -c 0 && ulimit -d ${Math.floor(maxMemoryBytes / 1_024)} && exec "$0" "$@"`;
  return spawn('/bin/sh', ['-c', script, process.execPath, file.pathname, ...args], {
    env: {},
    detached,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'json',
  });
}
