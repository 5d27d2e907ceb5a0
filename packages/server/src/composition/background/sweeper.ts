// Removes what is abandoned or expired, and does other small chores, periodically.

import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.js';
import { deleteOldMails } from '../../domain/accounts/mailContents.js';
import { deleteExpiredSessions } from '../../domain/accounts/sessions.js';
import { undoAbandonedCreations } from '../../domain/artifacts/abandonedDrafts.js';
import { deleteExpiredIdempotencyRecords } from '../../domain/artifacts/idempotency.js';
import { recheckEvidence } from '../../domain/claims/claimRechecks.js';
import { deleteOldDeliveries } from '../../domain/events/webhooks.js';
import { addMissingSoundHashes } from '../../domain/lookups/soundLookalikes.js';
import { announceExpiringKeys, revokeExpiredKeys } from '../../domain/organizations/apiKeys.js';
import type { Ports } from '../../domain/ports/index.js';
import { choreFailures, deletedEvents } from '../../monitoring/metrics.js';

/** Half of the age at which a draft counts as abandoned. */
const SWEEP_INTERVAL_MS = 15_000;
/** About 10 ms of work; most Marks have a skeleton. */
const SKELETONS_PER_SWEEP = 500;
/** About 120 ms of work. 300 registrations a second write fewer in that time. */
const EVENTS_PER_SWEEP = 10_000;

/** Does all chores, now and periodically; returns the closer. */
export function startSweeper(
  ports: Ports,
  logger: FastifyBaseLogger,
  { eventRetentionMonths }: Pick<Config, 'eventRetentionMonths'>,
): () => Promise<void> {
  const chores = Object.entries(createChores(ports, eventRetentionMonths));
  // So that the first failure is a change.
  for (const [chore] of chores) choreFailures.inc({ chore }, 0);

  /** One after the other; one that fails keeps no other from being done. */
  async function sweep(): Promise<void> {
    for (const [chore, run] of chores) {
      try {
        await run();
      } catch (error) {
        choreFailures.inc({ chore });
        logger.warn({ err: error, chore }, 'sweep: a chore failed');
      }
    }
  }

  let running: Promise<void> | undefined;
  // While the database is unavailable, a sweep may take longer than the interval.
  const start = () => {
    running ??= sweep().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(start, SWEEP_INTERVAL_MS);
  start();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** By the names that the metric has. */
function createChores(ports: Ports, eventRetentionMonths: number): Record<string, () => Promise<unknown>> {
  // Once: processes with other roots, before a restart, must not check each other's results again and again.
  let isRechecked = false;
  return {
    abandoned_creations: () => undoAbandonedCreations(ports),
    idempotency_records: () => deleteExpiredIdempotencyRecords(ports),
    sessions: () => deleteExpiredSessions(ports),
    invitations: () => ports.store.invitations.deleteExpired(),
    key_expiry_notices: () => announceExpiringKeys(ports),
    expired_keys: () => revokeExpiredKeys(ports),
    mails: () => deleteOldMails(ports),
    daily_budgets: () => ports.store.dailyBudgets.deleteBefore(ports.clock()),
    deliveries: () => deleteOldDeliveries(ports),
    events: async () => deletedEvents.inc(await ports.store.feed.deleteOld(eventRetentionMonths, EVENTS_PER_SWEEP)),
    claim_evidence: async () => {
      if (!isRechecked) isRechecked = await recheckEvidence(ports);
    },
    mark_names: () => ports.store.marks.addMissingSkeletons(SKELETONS_PER_SWEEP),
    sound_hashes: () => addMissingSoundHashes(ports),
  };
}
