// Errors as sentences.

import type { ErrorCode } from '@provenance-registry/core';

export const messages: Readonly<Record<ErrorCode, string>> = {
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
  GONE: 'This is no longer kept.',
  PAYLOAD_TOO_LARGE: 'This is larger than the service accepts.',
  URI_TOO_LONG: 'This address is longer than the service accepts.',
  UNSUPPORTED_MEDIA_TYPE: 'The service does not accept files of this type here.',
  HEADERS_TOO_LARGE:
    'Your browser sends more data than the service accepts. Clear the data of this site, then try again.',
  INTERNAL: 'Something went wrong on our side. Try again in a moment.',
  UNAVAILABLE: 'Part of the service is temporarily unavailable. Try again soon.',
};
export const unreachable = 'The service cannot be reached. Check your connection, then try again.';
export const invalidResponse = 'The service sent an invalid response. Try again later.';
export const pageError = 'Something went wrong on this page. Reload it, then try again.';

export const differentFile = 'This is not the registered file: its content differs. It was not sent.';
export const unreadableFile = 'The file was changed or cannot be read anymore. Choose it again.';
export const noSignedCopy = (reason: string) => `No signed copy: ${reason}`;
export const mayNotRegister = 'You may not register files under this Mark.';
