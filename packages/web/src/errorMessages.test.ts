import { ApiError, InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { type ErrorCode, errorStatus } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { describeError } from './errorMessages.js';

const codes = Object.keys(errorStatus).filter((code): code is ErrorCode => code in errorStatus);

test.each(codes)('%s is described by a sentence for users, not by the message of the API', (code) => {
  const message = describeError(new ApiError(code, errorStatus[code], 'body/fingerprint must match pattern'));
  expect(message).toMatch(/^[A-Z][^_{}]{20,}\.$/);
  expect(message).not.toContain('pattern');
  expect(message).not.toBe(describeError(new Error('anything else')));
});

test('a caller can override the message of an error code', () => {
  const conflict = new ApiError('CONFLICT', 409, 'taken');
  expect(describeError(conflict, { CONFLICT: 'That address has an account.' })).toBe('That address has an account.');
});

test('an unreachable service, an invalid response and an error of the page have different messages', () => {
  const errors = [new ServiceUnreachableError('x'), new InvalidResponseError('x'), new TypeError('x')];
  expect(new Set(errors.map((error) => describeError(error))).size).toBe(3);
});
