// What can go wrong with a call. An abort by the caller is none of these: it is thrown as the signal gives it.

import type { ErrorCode } from '@provenance-registry/core';

/** The service understood, and said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** No answer, or only 5xx, after all attempts. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
}

/** An answer that is not in its form: another service, something in between, or a lie. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}
