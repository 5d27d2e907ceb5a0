// Failures that end a command, each with the exit code and the code that programs read.

import type { ExitCode } from './command.js';

export class CommandError extends Error {
  override readonly name: string = 'CommandError';

  constructor(
    readonly code: string,
    readonly exitCode: ExitCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The command line or a setting makes no sense. The message is one line and says why. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    /** What to type after `provenance help` to read more. */
    readonly about: readonly string[] = [],
  ) {
    super('WRONG_USE', 2, message);
  }
}

/** A file cannot be read or written. */
export class FileProblem extends CommandError {
  override readonly name = 'FileProblem';

  constructor(message: string, options?: ErrorOptions) {
    super('FILE_PROBLEM', 3, message, options);
  }
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it exists already',
  EFBIG: 'too large',
  EISDIR: 'it is a folder',
  ELOOP: 'symbolic links go in a circle',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
};

/** Why the system refused, in plain words and without the path, which stands beside it. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return systemReasons[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
