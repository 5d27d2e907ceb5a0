// Errors as sentences for users.

import { ApiError, InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import type { ErrorCode } from '@provenance-registry/core';

const messages: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The service rejected this request. Check what you entered, then try again.',
  MISSING_ORGANIZATION_ID: 'Choose an organization, then try again.',
  UNAUTHORIZED: 'Your session has expired. Log in, then try again.',
  TOTP_REQUIRED: 'Enter the code of your second factor.',
  WORKSPACE_FROZEN: 'This organization is frozen until its owner returns to the Enterprise tier.',
  FORBIDDEN: 'You do not have permission to do this. Ask an admin for access.',
  API_KEY_ORG_MISMATCH: 'This belongs to a different organization than the API key.',
  TIER_RESTRICTION: 'Your tier does not include this, or its file limit is reached. See your account page for details.',
  TIER_LIMIT_REACHED: 'You have reached the limit of your tier. See your account page for other tiers.',
  USAGE_UNIT_LIMIT_REACHED: 'All usage units are in use. The owner can add more.',
  NOT_FOUND: 'This does not exist, or it was removed.',
  METHOD_NOT_ALLOWED: 'The service does not support this here. Reload the page, then try again.',
  REQUEST_TIMEOUT: 'The request took too long. Check your connection, then try again.',
  CONFLICT: 'This already exists, or it was changed in the meantime.',
  PAYLOAD_TOO_LARGE: 'This is larger than the service accepts.',
  URI_TOO_LONG: 'This address is longer than the service accepts.',
  UNSUPPORTED_MEDIA_TYPE: 'The service does not accept files of this type here.',
  HEADERS_TOO_LARGE:
    'Your browser sends more data than the service accepts. Clear the data of this site, then try again.',
  INTERNAL: 'Something went wrong on our side. Try again in a moment.',
  UNAVAILABLE: 'Part of the service is temporarily unavailable. Try again soon.',
};

type ErrorMessage = string | ((error: ApiError) => string);
export type ErrorMessages = Readonly<Partial<Record<ErrorCode, ErrorMessage>>>;

/** For codes with several reasons, which the message of the service tells apart. */
export const quoteService = ({ message }: ApiError): string => message;

/** Describes any error and what to do about it; `overrides` has the messages that are specific to the caller. */
export function describeError(error: unknown, overrides: ErrorMessages = {}): string {
  if (error instanceof ApiError) return findMessage(error, overrides) ?? messages[error.code];
  if (error instanceof ServiceUnreachableError)
    return 'The service cannot be reached. Check your connection, then try again.';
  if (error instanceof InvalidResponseError) return 'The service sent an invalid response. Try again later.';
  return 'Something went wrong on this page. Reload it, then try again.';
}

/** Undefined when there is no message for the code of the error. */
export function findMessage(error: ApiError, specific: ErrorMessages = {}): string | undefined {
  const message = specific[error.code];
  return typeof message === 'function' ? message(error) : message;
}

export function hasErrorCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}
