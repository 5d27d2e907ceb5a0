// Everything below the HTTP layer, built from the configuration.

import { createManifestWriter } from '../c2pa/manifest/manifestWriter.js';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import { DatabaseClock } from '../database/clock.js';
import type { Database, DatabaseAddress } from '../database/connection.js';
import { startEmbeddedDatabase } from '../database/embedded/index.js';
import { readCreationTime } from '../database/migrate.js';
import { DatabaseWorkNotices } from '../database/workNotices.js';
import type { Ports, ServedFiles } from '../domain/ports/index.js';
import type { CloserStack } from '../jobs/closers.js';
import { createMailQueue } from '../mail/mailQueue.js';
import { observeFileStore, observeSigning } from '../monitoring/observe.js';
import type { Readiness } from '../monitoring/readiness.js';
import { startTracing } from '../monitoring/startTracing.js';
import type { Tracing } from '../monitoring/tracing.js';
import { readVersion } from '../paths.js';
import type { DocumentSigner } from '../pdfCertificates/documentKey.js';
import { createWebhookTargets } from '../webhooks/targets.js';
import { startBackgroundWork } from './background/index.js';
import { connectToChain, startChain } from './chain.js';
import { connectDatabase, followReplica } from './database.js';
import { openDecoders } from './decoders.js';
import { openFiles } from './files.js';
import type { Host } from './host.js';
import { openIdentity } from './identity.js';
import { migrateBeforeStart } from './migration.js';
import { openDocumentSigner, startCertificates } from './pdfCertificates.js';
import { type OpenedLog, openLogFiles, openPublicLog } from './publicLog.js';
import { checkReadiness } from './readiness.js';
import { openRecords } from './records.js';
import { readSecrets } from './secrets.js';
import { type ConfiguredSigning, openSigning } from './signing.js';

export interface RegistryParts {
  readonly ports: Ports;
  readonly database: Database;
  readonly databaseClock: DatabaseClock;
  readonly databaseAddress: DatabaseAddress;
  readonly createdAt: Date;
  readonly signing: ConfiguredSigning;
  readonly documentSigner: DocumentSigner;
  readonly chain: Chain;
  readonly servedFiles: ServedFiles | undefined;
  readonly publicLog: OpenedLog;
  readonly readiness: Readiness;
  readonly tracing: Tracing;
}

export async function openParts(config: Config, host: Host, closers: CloserStack): Promise<RegistryParts> {
  const databaseClock = new DatabaseClock(host.clock);
  const clock = databaseClock.now;
  const tracing = await startTracing(config.tracing && { ...config.tracing, version: readVersion() });
  closers.push(() => tracing.close());
  const signing = observeSigning(await openSigning(config, host, clock), tracing);
  const documentKey = await openDocumentSigner(config, clock());
  // After the certificates: bad settings must stop the start before anything is written.
  const connecting = connectToChain(config, host.logger, closers);
  const { database, address: databaseAddress } = await connectDatabase(config, closers, {
    openEmbedded: startEmbeddedDatabase,
    onLost: host.onDatabaseLost,
    notify: host.notify,
    stop: host.stop,
    prepare: (connection) =>
      migrateBeforeStart(connection, config, { logger: host.logger, stop: host.stop?.requested }),
  });
  await databaseClock.measure(database);
  closers.push(databaseClock.follow(database));
  const notices = new DatabaseWorkNotices(database, databaseAddress);
  closers.push(() => notices.close());
  const replica = followReplica(config, database, host.logger, closers);
  const { store: fileStore, served: servedFiles } = await openFiles(config);
  const files = observeFileStore(fileStore, tracing);
  const secrets = await readSecrets(config);
  const logFiles = await openLogFiles(config);
  const chain = await startChain(config, {
    ...{ connecting, database, notices, logFiles, logger: host.logger, tracer: tracing },
    pseudonymSecret: secrets.pseudonyms,
  });
  closers.push(() => chain.close());
  const decoders = await openDecoders(config, { signing, database, chain }, closers);
  const documentSigner = await documentKey.signer;
  const certificates = startCertificates(config, { signer: documentSigner, signing, chain, logger: host.logger });
  closers.push(() => certificates.close());
  const webhookTargets = createWebhookTargets(config.webhooks);
  const { reader, ...decoderPorts } = decoders;
  const createdAt = await readCreationTime(database);
  const publicLog = await openPublicLog(
    config,
    { database, createdAt, files, logFiles, signing, chain, clock, notices, logger: host.logger },
    closers,
  );
  const ports: Ports = {
    ...(await openRecords(config, host, { database, replica, clock, notices }, closers)),
    ...decoderPorts,
    ...openIdentity(config, secrets),
    webhookTargets,
    mail: createMailQueue({ isEnabled: config.mail !== undefined }),
    clock,
    tiers: config.tiers,
    billing: config.billing,
    files,
    manifests: createManifestWriter(signing.signing, reader),
    chain,
    certificates,
    work: notices,
    log: publicLog.port,
    tracer: tracing,
    baseUrl: config.baseUrl,
    cdnUrl: config.cdnUrl,
  };
  const working = { ports, database, signing, chain, webhookTargets, notices, logger: host.logger };
  const { mailWorker } = await startBackgroundWork(config, working, closers);
  const readiness = checkReadiness(config, {
    ...{ database, databaseClock, replica, files, signing, chain, mailWorker },
    ...decoders,
  });
  const opened = { ports, database, databaseClock, databaseAddress, createdAt, signing, documentSigner };
  return { ...opened, chain, servedFiles, publicLog, readiness, tracing };
}
