// Errors as sentences for users.

import { ApiError, InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import type { ErrorCode } from '@provenance-registry/core';
import * as texts from '#texts/site/errors';

type ErrorMessage = string | ((error: ApiError) => string);
export type ErrorMessages = Readonly<Partial<Record<ErrorCode, ErrorMessage>>>;

/** Quotes the service, for codes with several reasons that its message tells apart. */
export const quoteService = ({ message }: ApiError): string => message;

/** Describes any error and what to do about it; `overrides` has the messages that are specific to the caller. */
export function describeError(error: unknown, overrides: ErrorMessages = {}): string {
  if (error instanceof ApiError) return findMessage(error, overrides) ?? texts.messages[error.code];
  if (error instanceof ServiceUnreachableError) return texts.unreachable;
  if (error instanceof InvalidResponseError) return texts.invalidResponse;
  return texts.pageError;
}

/** Undefined when there is no message for the code of the error. */
export function findMessage(error: ApiError, specific: ErrorMessages = {}): string | undefined {
  const message = specific[error.code];
  return typeof message === 'function' ? message(error) : message;
}

export function hasErrorCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}
