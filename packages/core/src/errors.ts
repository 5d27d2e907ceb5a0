// The closed set of API error codes and the HTTP status of each. `errorDescriptions.ts` says what they mean.

export const errorStatus = {
  BAD_REQUEST: 400,
  MISSING_ORGANIZATION_ID: 400,
  UNAUTHORIZED: 401,
  TOTP_REQUIRED: 401,
  WORKSPACE_FROZEN: 401,
  FORBIDDEN: 403,
  API_KEY_ORG_MISMATCH: 403,
  TIER_RESTRICTION: 403,
  TIER_LIMIT_REACHED: 403,
  USAGE_UNIT_LIMIT_REACHED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

/**
 * The `code` of an error response of the API.
 * @example
 * ```ts
 * const isTierProblem = (code: ErrorCode) => code === 'TIER_RESTRICTION' || code === 'TIER_LIMIT_REACHED';
 * ```
 */
export type ErrorCode = keyof typeof errorStatus;

/**
 * A field or parameter that the service rejected.
 * @example
 * ```ts
 * const describe = ({ path, message }: FieldProblem) => `${path}: ${message}`;
 * ```
 */
export interface FieldProblem {
  /** A JSON Pointer (RFC 6901) into the body; for parameters, `/` and their name. */
  readonly path: string;
  /** What is wrong with it, for people: a sentence. */
  readonly message: string;
}

interface RegistryErrorOptions extends ErrorOptions {
  readonly problems?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
}

/** The one error type of the domain. Its message is shown to the caller: it must not contain internal details. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  /** Every invalid field, if the fields are the reason. */
  readonly problems: readonly FieldProblem[];
  /** Set if the same request may succeed by then. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { problems = [], retryAfterSeconds, ...options }: RegistryErrorOptions = {},
  ) {
    super(message, options);
    this.problems = problems;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
