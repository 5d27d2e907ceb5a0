// Removes what is abandoned or expired, and does other small chores, periodically.

import type { FastifyBaseLogger } from 'fastify';
import { deleteOldMails } from '../../domain/accounts/mailContents.js';
import { deleteExpiredSessions } from '../../domain/accounts/sessions.js';
import { undoAbandonedCreations } from '../../domain/artifacts/abandonedDrafts.js';
import { deleteExpiredIdempotencyRecords } from '../../domain/artifacts/idempotency.js';
import { recheckEvidence } from '../../domain/claims/claimRechecks.js';
import { deleteOldDeliveries } from '../../domain/events/webhooks.js';
import { addMissingSoundHashes } from '../../domain/lookups/soundLookalikes.js';
import { announceExpiringKeys, revokeExpiredKeys } from '../../domain/organizations/apiKeys.js';
import type { Ports } from '../../domain/ports/index.js';

/** Half of the age at which a draft counts as abandoned. */
const SWEEP_INTERVAL_MS = 15_000;
/** About 10 ms of work; most Marks have a skeleton. */
const SKELETONS_PER_SWEEP = 500;

/** Removes abandoned drafts and expired records, now and periodically; returns the closer. */
export function startSweeper(ports: Ports, logger: FastifyBaseLogger): () => Promise<void> {
  let running = Promise.resolve();
  // Once: processes with other roots, before a restart, must not check each other's results again and again.
  let isRechecked = false;
  const sweep = () => {
    running = undoAbandonedCreations(ports)
      .then(() => deleteExpiredIdempotencyRecords(ports))
      .then(() => deleteExpiredSessions(ports))
      .then(() => ports.store.invitations.deleteExpired())
      .then(() => announceExpiringKeys(ports))
      .then(() => revokeExpiredKeys(ports))
      .then(() => deleteOldMails(ports))
      .then(() => deleteOldDeliveries(ports))
      .then(async () => {
        if (!isRechecked) isRechecked = await recheckEvidence(ports);
      })
      .then(() => ports.store.marks.addMissingSkeletons(SKELETONS_PER_SWEEP))
      .then(() => addMissingSoundHashes(ports))
      .catch((error: unknown) => logger.warn({ err: error }, 'sweep'));
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  sweep();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
