// All routes of the API, by noun.

import type { DidDocument, RegistryIdentity } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { LogFiles, Ports, ServedFiles } from '../../domain/ports/index.js';
import type { HttpLimits } from '../budgets/limits.js';
import { createPasswordBudget } from '../budgets/passwordBudget.js';
import type { Router } from '../router.js';
import { accountRoutes } from './accounts/accounts.js';
import { credentialRoutes } from './accounts/credentials.js';
import { emailRoutes } from './accounts/emails.js';
import { artifactBatchRoutes } from './artifacts/artifactBatch.js';
import { artifactRoutes } from './artifacts/artifacts.js';
import { fileRoutes } from './artifacts/files.js';
import { certificateRoutes } from './artifacts/pdfCertificates.js';
import { type TimestampService, timestampRoutes } from './artifacts/timestamps.js';
import { claimRoutes } from './claims/claims.js';
import { eventRoutes } from './events/events.js';
import { webhookRoutes } from './events/webhooks.js';
import { logFileRoutes } from './log/logFiles.js';
import { bulkLookupRoutes } from './lookups/bulkLookups.js';
import { lookalikeRoutes } from './lookups/lookalikes.js';
import { lookupRoutes } from './lookups/lookups.js';
import { type RegistryContract, resolutionRoutes } from './lookups/resolution.js';
import { identityRoutes } from './marks/identity.js';
import { markRoutes } from './marks/marks.js';
import { invitationRoutes } from './organizations/invitations.js';
import { organizationRoutes } from './organizations/organizations.js';

export interface ApiOptions {
  readonly ports: Ports;
  /** Published files, if this server serves them itself. */
  readonly files?: ServedFiles | undefined;
  /** The files of the public log. */
  readonly logFiles: Pick<LogFiles, 'read'>;
  readonly chain: { readonly contract: RegistryContract };
  readonly identity: () => RegistryIdentity;
  readonly didDocument: DidDocument;
  readonly maxUploadBytes: number;
  readonly timestamps?: TimestampService | undefined;
}

export function apiRoutes(app: FastifyInstance, route: Router, options: ApiOptions, limits: HttpLimits): void {
  const { ports, files, timestamps, maxUploadBytes } = options;
  const uploadLimits = { maxUploadBytes, requestMs: limits.requestMs };
  const spendPassword = createPasswordBudget();
  accountRoutes(route, ports, spendPassword);
  credentialRoutes(route, ports, spendPassword);
  emailRoutes(route, ports, spendPassword);
  organizationRoutes(route, ports);
  invitationRoutes(route, ports);
  markRoutes(route, ports);
  identityRoutes(app, options.identity, options.didDocument);
  artifactRoutes(route, ports, uploadLimits);
  artifactBatchRoutes(route, ports);
  certificateRoutes(route, ports);
  if (timestamps) timestampRoutes(app, timestamps);
  if (files) fileRoutes(app, files, limits.requestMs);
  logFileRoutes(app, options.logFiles);
  claimRoutes(route, ports, limits.requestMs);
  lookupRoutes(app, route, ports);
  bulkLookupRoutes(route, ports, limits.requestMs);
  lookalikeRoutes(route, ports, uploadLimits);
  resolutionRoutes(route, ports, { ...uploadLimits, contract: options.chain.contract });
  eventRoutes(app, route, ports, limits);
  webhookRoutes(route, ports);
}
