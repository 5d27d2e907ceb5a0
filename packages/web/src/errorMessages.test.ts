import { ApiError, InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { type ErrorCode, errorStatus } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { explain } from './registryClient.js';

const codes = Object.keys(errorStatus).filter((code): code is ErrorCode => code in errorStatus);

test.each(codes)('%s is told as a sentence for people, not in the words of the API', (code) => {
  const told = explain(new ApiError(code, errorStatus[code], 'body/fingerprint must match pattern'));
  expect(told).toMatch(/^[A-Z][^_{}]{20,}\.$/);
  expect(told).not.toContain('pattern');
  expect(told).not.toBe(explain(new Error('anything else')));
});

test('a place says what a refusal means there', () => {
  const taken = new ApiError('CONFLICT', 409, 'taken');
  expect(explain(taken, { CONFLICT: 'That address has an account.' })).toBe('That address has an account.');
});

test('a service that is away or makes no sense is told apart from a fault of the page', () => {
  const told = [new ServiceUnreachableError('x'), new InvalidResponseError('x'), new TypeError('x')].map((error) =>
    explain(error),
  );
  expect(new Set(told).size).toBe(3);
});
