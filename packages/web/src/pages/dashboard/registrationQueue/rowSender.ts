// Sends one row to the service, and puts the answer into the list's own words.

import { type RegistryClient, ServiceUnreachableError } from '@provenance-registry/client';
import { explain, hasCode } from '../../../registryClient.js';
import type { HashedRow, Outcome } from './queue.js';
import { stateOf } from './queueRow.js';

type Service = Pick<RegistryClient, 'createArtifact' | 'getArtifact' | 'listMarks'>;

export function sendBy(service: Service): (row: HashedRow) => Promise<Outcome> {
  return async (row) => {
    const { markId, fingerprint, filename, mediaType, size, lastModified, idempotencyKey } = row;
    const request = { markId, fingerprint, filename, mediaType, size, lastModified };
    try {
      const { status, errorReason } = await service.createArtifact(request, { idempotencyKey });
      return { state: stateOf(status), note: errorReason ?? undefined };
    } catch (error) {
      return hasCode(error, 'CONFLICT')
        ? whoHas(service, row).catch((reason) => refusal(reason, row))
        : refusal(error, row);
    }
  };
}

/** Some refusals hold for everything that is waiting: then the work stops, and the row keeps its place. */
function refusal(error: unknown, { markId }: HashedRow): Outcome {
  if (error instanceof ServiceUnreachableError) return { halt: 'network' };
  if (hasCode(error, 'UNAUTHORIZED')) return { halt: 'login' };
  if (hasCode(error, 'TIER_RESTRICTION')) return { halt: { limitOf: markId } };
  return { state: 'failed', note: explain(error, refusals) };
}

const refusals = {
  FORBIDDEN: 'You may no longer register files under this Mark.',
  NOT_FOUND: 'This Mark is no longer there.',
  BAD_REQUEST: 'The service does not take this file name or this fingerprint.',
};

async function whoHas(service: Service, { fingerprint }: HashedRow): Promise<Outcome> {
  const [artifact, marks] = await Promise.all([service.getArtifact({ fingerprint }), service.listMarks()]);
  const isOwn = marks.some(({ id }) => id === artifact.mark.id);
  return { state: isOwn ? 'yours' : 'others', note: 'name' in artifact.mark ? artifact.mark.name : undefined };
}
