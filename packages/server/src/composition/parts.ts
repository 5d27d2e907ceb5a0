// Everything below the HTTP layer, built from the configuration.

import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { createEmbedder } from '../c2pa/embedding/embedder.js';
import { createManifestWriter } from '../c2pa/manifest/manifestWriter.js';
import { createManifestInspector } from '../c2pa/reading/manifestInspector.js';
import { createManifestReader } from '../c2pa/reading/manifestReader.js';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import type { Database, DatabaseAddress } from '../database/connection.js';
import { startEmbeddedDatabase } from '../database/embedded/index.js';
import { migrateToLatest, readCreationTime } from '../database/migrate.js';
import { SigningCertificateQueries } from '../database/queries/artifacts/signingCertificates.js';
import { ImageCodeQueries } from '../database/queries/lookups/imageCodes.js';
import { createStore } from '../database/store.js';
import { createUseBuffers } from '../database/useBuffer.js';
import { watchStatuses } from '../domain/artifacts/statusChanges.js';
import { watchFeed } from '../domain/events/feedChanges.js';
import { createMarkListCache } from '../domain/marks/markListCache.js';
import type { Clock, Ports, ServedFiles } from '../domain/ports/index.js';
import { startEventOrderer } from '../events/orderer.js';
import { EvidenceChecker } from '../evidence/evidenceChecker.js';
import { createCommonPasswords } from '../identity/commonPasswords.js';
import { linkTokens, webhookSecrets } from '../identity/derivedSecrets.js';
import { scryptPasswords } from '../identity/passwords.js';
import { readOrCreateSecret } from '../identity/secretFile.js';
import { bearerTokens } from '../identity/tokens.js';
import { createTotp } from '../identity/totp.js';
import type { CloserStack, StopSignals } from '../jobs/closers.js';
import { ImageHashIndex } from '../lookalikes/imageIndex.js';
import { createSoundIndex } from '../lookalikes/soundIndex.js';
import { createMailQueue } from '../mail/mailQueue.js';
import { createMedia } from '../media/index.js';
import { observeFileStore, observeSigning } from '../monitoring/observe.js';
import type { Readiness } from '../monitoring/readiness.js';
import { startTracing } from '../monitoring/startTracing.js';
import type { Tracing } from '../monitoring/tracing.js';
import { readVersion } from '../paths.js';
import type { DocumentSigner } from '../pdfCertificates/documentKey.js';
import { createWebhookTargets } from '../webhooks/targets.js';
import { startBackgroundWork } from './backgroundWork.js';
import { startChain } from './chain.js';
import { connectDatabase } from './database.js';
import { openFiles } from './files.js';
import { openDocumentSigner, startCertificates } from './pdfCertificates.js';
import { checkReadiness } from './readiness.js';
import { type ConfiguredSigning, prepareConfiguredSigning, signingWarnings } from './signing.js';

/** The process that the service runs in. */
export interface Host {
  readonly logger: FastifyBaseLogger;
  /** Shows the operator a message. */
  readonly notify: (message: string) => void;
  /** The embedded database is lost for good: the service cannot go on. */
  readonly onDatabaseLost: (reason: unknown) => void;
  readonly stop?: StopSignals;
}

export interface RegistryParts {
  readonly ports: Ports;
  readonly database: Database;
  readonly databaseAddress: DatabaseAddress;
  readonly createdAt: Date;
  readonly signing: ConfiguredSigning;
  readonly documentSigner: DocumentSigner;
  readonly chain: Chain;
  readonly servedFiles: ServedFiles | undefined;
  readonly readiness: Readiness;
  readonly tracing: Tracing;
}

export async function openParts(config: Config, host: Host, closers: CloserStack): Promise<RegistryParts> {
  const clock = () => new Date();
  const tracing = await startTracing(config.tracing && { ...config.tracing, version: readVersion() });
  closers.push(() => tracing.close());
  const signing = observeSigning(await openSigning(config, host, clock), tracing);
  const documentKey = await openDocumentSigner(config, clock());
  const { database, address: databaseAddress } = await connectDatabase(config, closers, {
    openEmbedded: startEmbeddedDatabase,
    onLost: host.onDatabaseLost,
    notify: host.notify,
    stop: host.stop,
    prepare: (opened) => migrateToLatest(opened),
  });
  const { store: fileStore, served: servedFiles } = await openFiles(config);
  const files = observeFileStore(fileStore, tracing);
  const secrets = await readSecrets(config);
  const chain = await startChain(config, database, host.logger, tracing, secrets.pseudonyms);
  closers.push(() => chain.close());
  const decoders = await openDecoders(config, { signing, database, chain }, closers);
  const documentSigner = await documentKey.signer;
  const certificates = startCertificates(config, { signer: documentSigner, signing, chain, logger: host.logger });
  closers.push(() => certificates.close());
  const webhookTargets = createWebhookTargets(config.webhooks);
  const { reader, ...decoderPorts } = decoders;
  const ports: Ports = {
    ...(await openRecords(config, host, { database, clock }, closers)),
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
    tracer: tracing,
    baseUrl: config.baseUrl,
    cdnUrl: config.cdnUrl,
  };
  const working = { ports, database, signing, chain, webhookTargets, logger: host.logger };
  const { mailWorker } = await startBackgroundWork(config, working, closers);
  const readiness = checkReadiness(config, { database, files, signing, chain, mailWorker, ...decoders });
  const createdAt = await readCreationTime(database);
  const opened = { ports, database, databaseAddress, createdAt, signing, documentSigner };
  return { ...opened, chain, servedFiles, readiness, tracing };
}

/** Tells the operator what may be wrong with the certificate and its roots. */
async function openSigning(config: Config, { logger, notify }: Host, clock: Clock): Promise<ConfiguredSigning> {
  const warn = (message: string) => {
    logger.warn(message);
    notify(message);
  };
  const signing = await prepareConfiguredSigning(config, clock, warn);
  for (const warning of signingWarnings(signing, clock())) warn(warning);
  return signing;
}

interface Secrets {
  /** Signs sessions and links. */
  readonly tokens: string;
  /** Hides the ids of users in what is published. */
  readonly pseudonyms: string;
}

async function readSecrets({ jwtSecret, pseudonymSecret, dataDir }: Config): Promise<Secrets> {
  return {
    tokens: jwtSecret ?? (await readOrCreateSecret(join(dataDir, 'jwt-secret'))),
    pseudonyms: pseudonymSecret ?? (await readOrCreateSecret(join(dataDir, 'pseudonym-secret'))),
  };
}

function openIdentity({ provider, registryName }: Config, { tokens, pseudonyms }: Secrets) {
  return {
    passwords: scryptPasswords(),
    commonPasswords: createCommonPasswords(),
    totp: createTotp(pseudonyms, registryName),
    tokens: bearerTokens(tokens, provider),
    linkTokens: linkTokens(tokens),
    webhookSecrets: webhookSecrets(pseudonyms),
  };
}

interface DecoderParts {
  readonly signing: ConfiguredSigning;
  readonly database: Database;
  readonly chain: Chain;
}

/** What decodes untrusted bytes, each in processes of its own. */
async function openDecoders(config: Config, { signing, database, chain }: DecoderParts, closers: CloserStack) {
  const { trustAnchorsPem, issuer } = signing;
  const reader = await createManifestReader(trustAnchorsPem, { issuer });
  closers.push(() => reader.close());
  const embedder = createEmbedder(signing.signing);
  closers.push(() => embedder.close());
  const ownCertificates = new SigningCertificateQueries(database);
  await ownCertificates.record(signing.certificate.sha256);
  const isOwnCertificate = (sha256: Uint8Array) => ownCertificates.has(sha256);
  const manifestInspector = createManifestInspector({ trustAnchorsPem, issuer, isOwnCertificate });
  closers.push(() => manifestInspector.close());
  const media = createMedia();
  closers.push(() => media.close());
  const claimEvidence = new EvidenceChecker({
    trust: config.claimTrust,
    manifests: manifestInspector,
    media,
    publicRegistry: chain.publicRegistry,
  });
  closers.push(() => claimEvidence.close());
  return { reader, embedder, manifestInspector, media, claimEvidence };
}

/** The records of the database, with what is kept in memory of them and what watches them. */
async function openRecords(
  { role }: Config,
  { logger }: Host,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  closers: CloserStack,
) {
  const uses = createUseBuffers(database);
  closers.push(() => uses.flush());
  const store = createStore(database, uses);
  const log = (level: 'info' | 'warn' | 'error', details: object, message: string) => logger[level](details, message);
  const imageIndex = new ImageHashIndex({ source: new ImageCodeQueries(database), log });
  closers.push(() => imageIndex.close());
  // A worker process answers no searches.
  if (role !== 'worker') await imageIndex.start();
  const orderer = role === 'api' ? undefined : startEventOrderer({ feed: store.feed, log });
  closers.push(async () => orderer?.close());
  return {
    store,
    imageIndex,
    soundIndex: createSoundIndex(store.soundCodes),
    markListCache: createMarkListCache(clock, (userId) => store.marks.listWritableBy(userId)),
    statusChanges: watchStatuses(store.artifacts),
    feedChanges: watchFeed(store.feed),
    eventOrder: orderer ?? { wake: () => {} },
  };
}
