// Everything that can go wrong, as the API names it: a closed set of codes and the HTTP status of each.

export const errorStatus = {
  /** A field is missing or malformed, the JSON is broken, or the values contradict each other. */
  BAD_REQUEST: 400,
  /** A caller with a user token did not say which organization is meant. */
  MISSING_ORGANIZATION_ID: 400,
  /** The credential is missing, malformed, expired or revoked, or of another scheme than Bearer. */
  UNAUTHORIZED: 401,
  /** The API key's organization is frozen; it works again when the owner returns to enterprise. */
  WORKSPACE_FROZEN: 401,
  /** The caller is known and not allowed. */
  FORBIDDEN: 403,
  /** An API key reaches for something outside its own organization. */
  API_KEY_ORG_MISMATCH: 403,
  /** The tier does not include this, or its daily or lifetime Artifact cap is reached. */
  TIER_RESTRICTION: 403,
  /** A count that the tier caps (Marks, organizations, members, API keys) is at its cap. */
  TIER_LIMIT_REACHED: 403,
  /** The organization has no free usage unit for another member. */
  USAGE_UNIT_LIMIT_REACHED: 403,
  /** No such thing, no such path, or no such method on that path. */
  NOT_FOUND: 404,
  /** The client took too long to send its request. */
  REQUEST_TIMEOUT: 408,
  /** The thing exists already, or was made differently before. */
  CONFLICT: 409,
  /** The body is larger than this operation takes. */
  PAYLOAD_TOO_LARGE: 413,
  /** The address is longer than the server reads. */
  URI_TOO_LONG: 414,
  /** The body is of a media type that this operation does not read. */
  UNSUPPORTED_MEDIA_TYPE: 415,
  /** The request's headers are larger than the server reads. */
  HEADERS_TOO_LARGE: 431,
  /** A fault of the server; its log has the reason under the request's id. */
  INTERNAL: 500,
  /** Something that the service stands on is away for now; the same request may succeed later. */
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** The one error that rules throw. Its message is written for the caller: nothing internal goes into it. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
