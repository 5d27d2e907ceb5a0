// Starts the worker that sends the events of webhooks.

import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/connection.js';
import { WebhookQueueQueries } from '../../database/queries/events/webhookQueue.js';
import { buildChallenge, isAnswer, planNextChallenge } from '../../domain/events/webhookChallenges.js';
import { recordFailedDelivery } from '../../domain/events/webhookDeliveries.js';
import { buildMessage, readWebhookEvents } from '../../domain/events/webhookMessages.js';
import type { Ports } from '../../domain/ports/index.js';
import type { WorkNotices } from '../../jobs/workNotices.js';
import type { ConnectingTargets } from '../../webhooks/targets.js';
import { startWebhookWorker } from '../../webhooks/worker.js';

interface WebhookParts {
  readonly database: Database;
  readonly targets: ConnectingTargets;
  readonly notices: WorkNotices;
  readonly logger: FastifyBaseLogger;
}

/** Returns the closer. */
export function startWebhooks(
  ports: Pick<Ports, 'store' | 'mail' | 'clock' | 'webhookSecrets'>,
  { database, targets, notices, logger }: WebhookParts,
): () => Promise<void> {
  const worker = startWebhookWorker({
    queue: new WebhookQueueQueries(database),
    targets,
    readEvents: (webhook, after) => readWebhookEvents(ports, webhook, after),
    buildMessage: (webhook, event) => buildMessage(ports, webhook, event),
    buildChallenge: (webhook) => buildChallenge(ports, webhook),
    isAnswer,
    planNextChallenge: (webhook, result) => planNextChallenge(webhook, result, ports.clock()),
    recordFailure: (webhook, attempt) => recordFailedDelivery(ports, webhook, attempt),
    clock: ports.clock,
    log: (level, details, message) => logger[level](details, message),
    notices,
  });
  return () => worker.close();
}
