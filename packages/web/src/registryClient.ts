// The service behind the page, and its refusals in words for people.

import {
  ApiError,
  createClient,
  InvalidResponseError,
  type RegistryClient,
  ServiceUnreachableError,
} from '@provenance-registry/client';
import type { ErrorCode } from '@provenance-registry/core';
import { useMemo } from 'react';
import { watchedFetch } from './connectionStatus.js';
import { tokenWasRefused, useIsSessionOver, useToken } from './session.js';

export function useService(): RegistryClient {
  const token = useToken();
  // With a token that has expired one is as good as anybody.
  const isOver = useIsSessionOver();
  const credential = isOver ? undefined : token;
  return useMemo(() => serviceWith(() => credential), [credential]);
}

/** The service as whoever has the token at the time of a request; with none, as anybody. */
export function serviceWith(token: () => string | undefined): RegistryClient {
  const credential = token();
  const fetchAs: typeof fetch = async (address, request) => {
    const now = token();
    const headers = new Headers(request?.headers);
    if (now === undefined || !headers.has('authorization')) return watchedFetch(address, request);
    headers.set('authorization', `Bearer ${now}`);
    const response = await watchedFetch(address, { ...request, headers });
    if (response.status === 401) tokenWasRefused(now);
    return response;
  };
  return createClient({ baseUrl: location.origin, credential, fetch: fetchAs });
}

const sentences: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The service does not take this as it is. Check what you have entered, then try again.',
  MISSING_ORGANIZATION_ID: 'Choose the organization that you mean, then try again.',
  UNAUTHORIZED: 'You are not logged in any more. Log in, then try again.',
  WORKSPACE_FROZEN: 'The organization is frozen. It works again when its owner returns to the enterprise tier.',
  FORBIDDEN: 'You are not allowed to do this. Ask whoever administers it.',
  API_KEY_ORG_MISMATCH: 'This belongs to another organization than the key that was used.',
  TIER_RESTRICTION: 'Your tier does not include this, or its limit for files is reached. Your account page shows both.',
  TIER_LIMIT_REACHED: 'Your tier allows no more of these. Your account page shows what other tiers allow.',
  USAGE_UNIT_LIMIT_REACHED: 'There is no free place for another member. The owner can add places first.',
  NOT_FOUND: 'This is not there, or not there any more.',
  REQUEST_TIMEOUT: 'Sending took too long. Check your connection, then try again.',
  CONFLICT: 'This exists already, or was changed by somebody else in the meantime.',
  PAYLOAD_TOO_LARGE: 'This is larger than the service takes.',
  URI_TOO_LONG: 'The address is longer than the service reads.',
  UNSUPPORTED_MEDIA_TYPE: 'The service does not read files of this kind here.',
  HEADERS_TOO_LARGE:
    'Your browser sends more along than the service reads. Clear its data for this site, then try again.',
  INTERNAL: 'Something went wrong in the service. Try again in a moment.',
  UNAVAILABLE: 'A part of the service is away for the moment. Try again soon.',
};

/** Any failure, as a sentence that says what to do; `here` has the codes that mean something particular in this place. */
export function explain(error: unknown, here: Partial<Record<ErrorCode, string>> = {}): string {
  if (error instanceof ApiError) return here[error.code] ?? sentences[error.code];
  if (error instanceof ServiceUnreachableError)
    return 'The service cannot be reached. Check your connection, then try again.';
  if (error instanceof InvalidResponseError)
    return 'The service answered something that makes no sense. Try again later.';
  return 'Something went wrong in this page. Reload it, and try again.';
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}
