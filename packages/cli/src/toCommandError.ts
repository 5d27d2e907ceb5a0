// Turns any error into a CommandError: the message, code and exit code that the user gets.

import { CommandError, errorCode, systemReason, UsageError } from './errors.js';

/** Unknown, not negative: without a valid login, there is no result. */
const UNAUTHORIZED_STATUS = 401;

export async function toCommandError(error: unknown): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  // Loaded on demand: importing the SDK at startup would slow down every command.
  const { ApiError, InvalidArgumentError, InvalidResponseError, ServiceUnreachableError } = await import(
    '@provenance-registry/client'
  );
  if (error instanceof ApiError) {
    const isUnauthorized = error.status === UNAUTHORIZED_STATUS;
    const hint = isUnauthorized ? " Log in with 'provenance login', or set PROVENANCE_TOKEN." : '';
    // The service's own message names the first of several.
    const message =
      error.problems.length > 1 ? error.problems.map((problem) => problem.message).join(' ') : error.message;
    return new CommandError(error.code, isUnauthorized ? 3 : 1, message + hint, { cause: error });
  }
  if (error instanceof ServiceUnreachableError) {
    const advice = error.isPermanent ? '' : " Check your network, and the URL with 'provenance config get url'.";
    return new CommandError('UNREACHABLE', 3, error.message + advice, { cause: error });
  }
  if (error instanceof InvalidResponseError) return new CommandError('BAD_ANSWER', 3, error.message, { cause: error });
  if (error instanceof InvalidArgumentError) return new UsageError(error.message);
  if (errorCode(error) !== undefined)
    return new CommandError('FILE_PROBLEM', 3, `${systemReason(error)}.`, { cause: error });
  return new CommandError('INTERNAL', 3, error instanceof Error ? error.message : String(error), { cause: error });
}

/** A wrong password or code is a definite no: exit code 1, without the advice to log in. */
export async function requireAccepted<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const { code, cause, message } = await toCommandError(error);
    if (code === 'UNAUTHORIZED') throw new CommandError(code, 1, cause instanceof Error ? cause.message : message);
    throw error;
  }
}
