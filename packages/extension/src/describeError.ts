// Errors of the registry as sentences.

import { ApiError, InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { errors } from './texts/en.js';

export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.code === 'UNAVAILABLE' ? errors.unavailable : errors.invalid;
  if (error instanceof ServiceUnreachableError) return errors.unreachable;
  return error instanceof InvalidResponseError ? errors.invalid : errors.other;
}
