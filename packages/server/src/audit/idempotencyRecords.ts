// Checks that every idempotency record names an Artifact that exists: the two are recorded together.

import type { IdempotencyKey } from '../domain/ports/index.js';
import type { AuditParts } from './divergence.js';
import { readPages, type Walk } from './walk.js';

const PAGE_SIZE = 500;

export function idempotencyRecordWalk({ records }: AuditParts): Walk<IdempotencyKey> {
  return {
    name: 'answers',
    batches: () => readPages<IdempotencyKey>((after) => records.listIdempotencyKeys(after, PAGE_SIZE)),
    async check(keys) {
      const invalid = await records.findKeysWithoutArtifact(keys);
      return invalid.map((key) => ({
        subject: key,
        divergence: {
          code: 'answer-without-artifact',
          about: { ...key },
          message: `Idempotency key ${JSON.stringify(key.key)} of ${key.callerId}: the Artifact of its response does not exist`,
          // A retry then creates the Artifact instead of returning one that does not exist.
          repair: () => records.deleteIdempotencyRecord(key),
        },
      }));
    },
  };
}
