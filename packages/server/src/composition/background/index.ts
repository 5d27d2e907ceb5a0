// Starts the work that goes on without requests: mails, domain checks, webhooks, downloads. A process for requests alone
// starts none.

import type { FastifyBaseLogger } from 'fastify';
import type { Chain } from '../../chain/chainService.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../database/connection.js';
import { MarkDomainQueries } from '../../database/queries/marks/markDomains.js';
import { listDomainTexts, recordDomainCheck } from '../../domain/marks/markDomains.js';
import type { Ports } from '../../domain/ports/index.js';
import { createDomainChecker } from '../../domainVerification/checker.js';
import { startDomainWorker } from '../../domainVerification/worker.js';
import type { CloserStack } from '../../jobs/closers.js';
import type { WorkNotices } from '../../jobs/workNotices.js';
import type { MailWorker } from '../../mail/worker.js';
import type { ConnectingTargets } from '../../webhooks/targets.js';
import type { ConfiguredSigning } from '../signing.js';
import { startDownloads } from './downloads.js';
import { startMail } from './mail.js';
import { startWebhooks } from './webhooks.js';

interface BackgroundParts {
  readonly ports: Ports;
  readonly database: Database;
  readonly signing: ConfiguredSigning;
  readonly chain: Chain;
  readonly webhookTargets: ConnectingTargets;
  readonly notices: WorkNotices;
  readonly logger: FastifyBaseLogger;
}

export async function startBackgroundWork(
  config: Config,
  { ports, database, signing, chain, webhookTargets, notices, logger }: BackgroundParts,
  closers: CloserStack,
): Promise<{ mailWorker: MailWorker | undefined }> {
  if (config.role === 'api') return { mailWorker: undefined };
  const mailWorker = await startMail(config, ports, { database, notices, logger });
  closers.push(async () => mailWorker?.close());
  const domainWorker = startDomainWorker({
    queue: new MarkDomainQueries(database),
    checker: createDomainChecker(config.domains),
    listTexts: (domain) => listDomainTexts(ports, domain),
    record: (domain, result) => recordDomainCheck(ports, domain, result),
    log: (level, details, message) => logger[level](details, message),
    notices,
  });
  closers.push(() => domainWorker.close());
  closers.push(startWebhooks(ports, { database, targets: webhookTargets, notices, logger }));
  const { files, clock } = ports;
  closers.push(startDownloads(config, { database, files, signing, chain, clock, logger }));
  return { mailWorker };
}
