// What an error means to the one who typed the command.

import { CommandError, errorCode, FileProblem, systemReason } from './errors.js';

/** Not being asked in is no answer: what was asked is as open as before. */
const UNAUTHORIZED_STATUS = 401;

export async function asCommandError(error: unknown): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  // Loaded only now that something went wrong; whoever threw one of these has loaded it already.
  const { ApiError, InvalidResponseError, ServiceUnreachableError } = await import('@provenance-registry/client');
  if (error instanceof ApiError) {
    const isUnknown = error.status === UNAUTHORIZED_STATUS;
    const way = isUnknown ? " Log in with 'provenance login', or set PROVENANCE_TOKEN." : '';
    return new CommandError(error.code, isUnknown ? 3 : 1, error.message + way, { cause: error });
  }
  if (error instanceof ServiceUnreachableError)
    return new CommandError('UNREACHABLE', 3, error.message, { cause: error });
  if (error instanceof InvalidResponseError) return new CommandError('BAD_ANSWER', 3, error.message, { cause: error });
  if (errorCode(error) !== undefined) return new FileProblem(`${systemReason(error)}.`, { cause: error });
  return new CommandError('INTERNAL', 3, error instanceof Error ? error.message : String(error), { cause: error });
}
