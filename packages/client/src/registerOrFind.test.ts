import { type Artifact, exampleArtifact } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { ApiError } from './errors.js';
import { registerOrFind } from './registerOrFind.js';

const { fingerprint, mark } = exampleArtifact;
const input = { markId: mark.id, fingerprint, filename: 'sunrise.jpg' };
const conflict = new ApiError('CONFLICT', 409, 'This fingerprint is registered already.');

/** A service that refuses every creation with `refusal` and has `existing` on record. */
function refusingService(refusal: Error, existing: Artifact | undefined) {
  return {
    createArtifact: async () => {
      throw refusal;
    },
    getArtifact: async () => {
      if (existing) return existing;
      throw new ApiError('NOT_FOUND', 404, 'There is no such Artifact.');
    },
  };
}

test('a new fingerprint is registered with the given idempotency key', async () => {
  const keys: (string | undefined)[] = [];
  const client = {
    createArtifact: async (_: unknown, options?: { idempotencyKey?: string | undefined }) => {
      keys.push(options?.idempotencyKey);
      return exampleArtifact;
    },
    getArtifact: async () => exampleArtifact,
  };
  const result = await registerOrFind(client, input, { idempotencyKey: 'key' });
  expect(result).toEqual({ artifact: exampleArtifact, isNew: true, isSameMark: true });
  expect(keys).toEqual(['key']);
});

test('a fingerprint that is registered already gives the existing Artifact', async () => {
  const result = await registerOrFind(refusingService(conflict, exampleArtifact), input);
  expect(result).toEqual({ artifact: exampleArtifact, isNew: false, isSameMark: true });
});

test('an existing Artifact under another Mark is reported as such', async () => {
  const artifact: Artifact = { ...exampleArtifact, mark: { id: 'another', visibility: 'private' } };
  const result = await registerOrFind(refusingService(conflict, artifact), input);
  expect(result).toEqual({ artifact, isNew: false, isSameMark: false });
});

test('a conflict about the idempotency key is thrown: the fingerprint itself is not registered', async () => {
  await expect(registerOrFind(refusingService(conflict, undefined), input)).rejects.toBe(conflict);
  const failed: Artifact = { ...exampleArtifact, status: 'failed' };
  await expect(registerOrFind(refusingService(conflict, failed), input)).rejects.toBe(conflict);
});

test('any other refusal is thrown as it came', async () => {
  const refusal = new ApiError('FORBIDDEN', 403, 'You may not write under this Mark.');
  await expect(registerOrFind(refusingService(refusal, exampleArtifact), input)).rejects.toBe(refusal);
});
