// Errors that end a command, each with an exit code and a code for programs.

import type { ExitCode } from './exitCode.js';

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

/** The command line or a setting is invalid. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';

  constructor(
    message: string,
    /** The words after `provenance help` that show the matching help. Default: those of the command that runs. */
    readonly helpPath?: readonly string[],
  ) {
    super('WRONG_USE', 2, message);
  }
}

export class FileError extends CommandError {
  override readonly name = 'FileError';

  constructor(path: string, cause: unknown) {
    super('FILE_PROBLEM', 3, `${path}: ${systemReason(cause)}.`, { cause });
  }
}

/** Makes whatever fails a problem of the file. */
export async function orFileError<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new FileError(path, error);
  }
}

const systemReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EFBIG: 'file too large',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** The reason for a failed system call, without the path, which the caller prints next to it. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return systemReasons[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
