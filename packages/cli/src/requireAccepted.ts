// Requests whose credentials the service may refuse.

import { CommandError } from './errors.js';
import { toCommandError } from './toCommandError.js';

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
