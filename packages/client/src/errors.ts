// The errors of the SDK. An abort by the caller is none of them: the signal's reason is thrown as it is.

import type { ErrorCode, FieldProblem } from '@provenance-registry/core';

/**
 * The service refused the request. `status` is the HTTP status. `problems` lists every invalid field, if the fields are the
 * reason.
 * @example
 * ```ts
 * if (error instanceof ApiError && error.code === 'NOT_FOUND') console.log('This file is not registered.');
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    readonly status: number,
    message: string,
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(message);
  }
}

/**
 * No response, or only 5xx responses, after all attempts. `cause` has the last failure.
 * @example
 * ```ts
 * if (error instanceof ServiceUnreachableError && !error.isPermanent) console.log('Try again later.');
 * ```
 */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
  readonly code = 'SERVICE_UNREACHABLE';
  /** True when a retry does not help: the host does not exist, its certificate is not trusted, a proxy refuses. */
  readonly isPermanent: boolean;
  /** The delay that the service asked for with `Retry-After`, or 0. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    options: ErrorOptions & { readonly isPermanent?: boolean; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.isPermanent = options.isPermanent ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/**
 * A response or a document that does not have its documented form: another service is at that address, or a proxy
 * changed the response.
 * @example
 * ```ts
 * if (error instanceof InvalidResponseError) console.log(`${baseUrl} is not a registry.`);
 * ```
 */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
  readonly code = 'INVALID_RESPONSE';
}

/**
 * An argument is invalid, such as a fingerprint or a URL; nothing was sent.
 * @example
 * ```ts
 * if (error instanceof InvalidArgumentError) console.log(error.message);
 * ```
 */
export class InvalidArgumentError extends TypeError {
  override readonly name = 'InvalidArgumentError';
  readonly code = 'INVALID_ARGUMENT';
}

/**
 * A file was modified while it was hashed, so that its fingerprint would match no version of it.
 * @example
 * ```ts
 * if (error instanceof FileChangedError) console.log('The file is still being written. Try again.');
 * ```
 */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
  readonly code = 'FILE_CHANGED';
}

/**
 * The `code` of every error of the SDK: those of the API, and `SERVICE_UNREACHABLE`, `INVALID_RESPONSE`,
 * `INVALID_ARGUMENT` and `FILE_CHANGED`.
 * @example
 * ```ts
 * const isTemporary = (code: SdkErrorCode) => code === 'SERVICE_UNREACHABLE' || code === 'UNAVAILABLE';
 * ```
 */
export type SdkErrorCode = (
  | ApiError
  | ServiceUnreachableError
  | InvalidResponseError
  | InvalidArgumentError
  | FileChangedError
)['code'];
