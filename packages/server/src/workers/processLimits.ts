// Kernel limits of a process, which Node cannot set, but a shell can before it becomes the program.

import { existsSync } from 'node:fs';

export interface ProcessLimits {
  /** CPU time of one job. The kernel ends a process that has used twice as much. */
  readonly cpuSeconds: number;
  /** Private writable memory. Not address space, of which V8 and WebAssembly reserve gigabytes without using them. */
  readonly memoryMb: number;
}

export const SHELL = '/bin/sh';
/** Windows and images without a shell have none. There, only the limits of time and heap apply. */
export const hasShell = existsSync(SHELL);

/**
 * Sets the limits of the shell that runs it, for the program it then executes, which also writes no files (core dumps
 * included). A limit that the platform does not support, or that is lower already, stays as it is.
 */
export function limitingScript({ cpuSeconds, memoryMb }: ProcessLimits): string {
  const limits = [`-c 0`, `-f 0`, `-d ${memoryMb * 1024}`, `-t ${cpuSeconds * 2}`];
  return `{ ${limits.map((limit) => `ulimit ${limit};`).join(' ')} } 2>/dev/null`;
}
