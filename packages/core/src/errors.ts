// The closed set of API error codes and the HTTP status of each.

export const errorStatus = {
  /** A field is missing or malformed, the JSON is broken, or the values contradict each other. */
  BAD_REQUEST: 400,
  /** A request with a user token did not name the organization. */
  MISSING_ORGANIZATION_ID: 400,
  /** The credential is missing, malformed, expired or revoked, or does not use the Bearer scheme. */
  UNAUTHORIZED: 401,
  /** Email and password are right, and the account has a second factor: send `totpCode` too. */
  TOTP_REQUIRED: 401,
  /** The API key's organization is frozen; the key works again when the owner returns to enterprise. */
  WORKSPACE_FROZEN: 401,
  /** The caller is authenticated but not permitted. */
  FORBIDDEN: 403,
  /** An API key was used for a resource outside its own organization. */
  API_KEY_ORG_MISMATCH: 403,
  /** The tier does not include this feature, or its daily or lifetime Artifact limit is reached. */
  TIER_RESTRICTION: 403,
  /** A count that the tier limits (Marks, organizations, members, API keys) is at its limit. */
  TIER_LIMIT_REACHED: 403,
  /** The organization has no free usage unit for another member. */
  USAGE_UNIT_LIMIT_REACHED: 403,
  /** No such resource or path. */
  NOT_FOUND: 404,
  /** The path exists, but not with this method; `Allow` lists those that it has. */
  METHOD_NOT_ALLOWED: 405,
  /** The client took too long to send its request. */
  REQUEST_TIMEOUT: 408,
  /** The resource already exists, or the request conflicts with an earlier one. */
  CONFLICT: 409,
  /** The body is larger than this operation accepts. */
  PAYLOAD_TOO_LARGE: 413,
  /** The URL is longer than the server accepts. */
  URI_TOO_LONG: 414,
  /** The body has a media type that this operation does not accept. */
  UNSUPPORTED_MEDIA_TYPE: 415,
  /** The request's headers are larger than the server accepts. */
  HEADERS_TOO_LARGE: 431,
  /** A server error; the log has the reason under the request id. */
  INTERNAL: 500,
  /** A dependency of the service is unavailable; the same request may succeed later. */
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
 * const describe = ({ pointer, expected }: FieldProblem) => `${pointer.slice(1)} must be ${expected}`;
 * ```
 */
export interface FieldProblem {
  /** A JSON Pointer (RFC 6901) into the body; for parameters, `/` and their name. */
  readonly pointer: string;
  /** What it should be, for people. */
  readonly expected: string;
}

/** The one error type of the domain. Its message is shown to the caller: it must not contain internal details. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  /** Every invalid field, if the fields are the reason. */
  readonly problems: readonly FieldProblem[];

  constructor(
    readonly code: ErrorCode,
    message: string,
    { problems = [], ...options }: ErrorOptions & { readonly problems?: readonly FieldProblem[] } = {},
  ) {
    super(message, options);
    this.problems = problems;
  }
}
