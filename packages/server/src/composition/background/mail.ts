// Starts the worker that sends mails from the configuration.

import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.js';
import type { Database } from '../../database/connection.js';
import { MailQueries } from '../../database/queries/accounts/mails.js';
import { prepareMail } from '../../domain/accounts/mailContents.js';
import type { Ports } from '../../domain/ports/index.js';
import type { WorkNotices } from '../../jobs/workNotices.js';
import { renderMail } from '../../mail/templates.js';
import { type MailWorker, startMailWorker } from '../../mail/worker.js';

/** The mail library is loaded only if a mail server is configured. */
export async function startMail(
  { mail, registryName, baseUrl }: Config,
  ports: Ports,
  { database, notices, logger }: { database: Database; notices: WorkNotices; logger: FastifyBaseLogger },
): Promise<MailWorker | undefined> {
  if (!mail) return undefined;
  const { createMailTransport } = await import('../../mail/transport.js');
  return startMailWorker({
    outbox: new MailQueries(database),
    prepare: (claimed) => prepareMail(ports, claimed),
    render: (prepared) => renderMail(prepared, { registryName, baseUrl }),
    transport: createMailTransport(mail),
    log: (level, details, message) => logger[level](details, message),
    notices,
  });
}
