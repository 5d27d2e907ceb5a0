// Registers one row of the queue.

import { type RegistryClient, registerOrFind, ServiceUnreachableError } from '@provenance-registry/client';
import { describeError, hasErrorCode } from '../../../errorMessages.js';
import type { HashedRow, SendResult } from './queue.js';
import { rowStateFor } from './queueRow.js';

type Client = Pick<RegistryClient, 'createArtifact' | 'getArtifact' | 'listMarks'>;

export function createRowSender(client: Client): (row: HashedRow) => Promise<SendResult> {
  return async ({ markId, fingerprint, filename, mediaType, size, lastModified, idempotencyKey }) => {
    const input = { markId, fingerprint, filename, mediaType, size, lastModified };
    try {
      const { artifact, isNew, isSameMark } = await registerOrFind(client, input, { idempotencyKey });
      if (isNew) return { state: rowStateFor(artifact.status), note: artifact.errorReason ?? undefined };
      const isOwn = isSameMark || (await client.listMarks()).some(({ id }) => id === artifact.mark.id);
      return { state: isOwn ? 'yours' : 'others', note: 'name' in artifact.mark ? artifact.mark.name : undefined };
    } catch (error) {
      return describeFailure(error, markId);
    }
  };
}

/** Some errors apply to all waiting rows: they stop the queue, and the row stays in it. */
function describeFailure(error: unknown, markId: string): SendResult {
  if (error instanceof ServiceUnreachableError) return { stopReason: 'network' };
  if (hasErrorCode(error, 'UNAUTHORIZED')) return { stopReason: 'login' };
  if (hasErrorCode(error, 'TIER_RESTRICTION')) return { stopReason: { limitedMarkId: markId } };
  return { state: 'failed', note: describeError(error, errorMessages) };
}

const errorMessages = {
  FORBIDDEN: 'You can no longer register files under this Mark.',
  NOT_FOUND: 'This Mark no longer exists.',
  BAD_REQUEST: 'The service rejected this file name or fingerprint.',
};
