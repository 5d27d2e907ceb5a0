// What each error code means in general. Operations say what it means for them.

import type { ErrorCode } from './errors.js';

export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'A field is missing or malformed, the JSON is broken, or the values contradict each other.',
  MISSING_ORGANIZATION_ID: 'A request with a user token did not name the organization.',
  UNAUTHORIZED: 'The credential is missing, malformed, expired or revoked, or does not use the Bearer scheme.',
  TOTP_REQUIRED: 'Email and password are right, and the account has a second factor: send `totpCode` too.',
  WORKSPACE_FROZEN: "The API key's organization is frozen; the key works again when the owner returns to enterprise.",
  FORBIDDEN: 'The caller is authenticated but not permitted.',
  API_KEY_ORG_MISMATCH: 'An API key was used for a resource outside its own organization.',
  TIER_RESTRICTION:
    'The tier does not include this feature, or a daily limit, or the lifetime Artifact limit, is reached.',
  TIER_LIMIT_REACHED: 'A count that the tier limits (Marks, organizations, members, API keys) is at its limit.',
  USAGE_UNIT_LIMIT_REACHED: 'The organization has no free usage unit for another member.',
  NOT_FOUND: 'No such resource or path.',
  METHOD_NOT_ALLOWED: 'The path exists, but not with this method; `Allow` lists those that it has.',
  REQUEST_TIMEOUT: 'The client took too long to send its request.',
  CONFLICT: 'The resource already exists, or the request conflicts with an earlier one.',
  GONE: 'What was asked for has been deleted, because it is not kept for ever.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this operation accepts.',
  URI_TOO_LONG: 'The URL is longer than the server accepts.',
  UNSUPPORTED_MEDIA_TYPE: 'The body has a media type that this operation does not accept.',
  HEADERS_TOO_LARGE: "The request's headers are larger than the server accepts.",
  INTERNAL: 'A server error; the log has the reason under the request id.',
  UNAVAILABLE: 'A dependency of the service is unavailable; the same request may succeed later.',
};
