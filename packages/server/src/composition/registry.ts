// The composition root: builds every part of the service from the configuration.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RegistryIdentity } from '@provenance-registry/core';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createEmbedder } from '../c2pa/containers/embedder.js';
import { createManifestWriter } from '../c2pa/manifest/manifestWriter.js';
import { createManifestInspector } from '../c2pa/reading/manifestInspector.js';
import { createManifestReader } from '../c2pa/reading/manifestReader.js';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import { type Database, type DatabaseAddress, pingDatabase, readPoolUse } from '../database/connection.js';
import { startEmbeddedDatabase } from '../database/embedded/index.js';
import { migrateToLatest, readCreationTime } from '../database/migrate.js';
import { mailOutbox } from '../database/queries/accounts/mails.js';
import { signingCertificateQueries } from '../database/queries/artifacts/signingCertificates.js';
import { webhookQueue } from '../database/queries/events/webhookQueue.js';
import { imageCodeSource } from '../database/queries/lookups/imageCodes.js';
import { domainQueue } from '../database/queries/marks/markDomains.js';
import { createStore } from '../database/store.js';
import { createUseBuffers } from '../database/useBuffer.js';
import { watchStatuses } from '../domain/artifacts/statusChanges.js';
import { watchFeed } from '../domain/events/feedChanges.js';
import { recordDomainCheck } from '../domain/marks/markDomains.js';
import { createMarkListCache } from '../domain/marks/markListCache.js';
import type { Ports, ServedFiles } from '../domain/ports/index.js';
import { createDomainChecker } from '../domainVerification/checker.js';
import { startDomainWorker } from '../domainVerification/worker.js';
import { startEventOrderer } from '../events/orderer.js';
import { createEvidenceChecker } from '../evidence/evidenceChecker.js';
import { buildServer, type HttpOptions } from '../http/server.js';
import { createCommonPasswords } from '../identity/commonPasswords.js';
import { linkTokens } from '../identity/linkTokens.js';
import { scryptPasswords } from '../identity/passwords.js';
import { readOrCreateSecret } from '../identity/secretFile.js';
import { bearerTokens } from '../identity/tokens.js';
import { createTotp } from '../identity/totp.js';
import { webhookSecrets } from '../identity/webhookSecrets.js';
import { buildOrClose, CloserStack, type StopSignals } from '../jobs/closers.js';
import { createImageIndex } from '../lookalikes/imageIndex.js';
import { createSoundIndex } from '../lookalikes/soundIndex.js';
import { createMailQueue } from '../mail/mailQueue.js';
import { createMedia } from '../media/index.js';
import { observeFileStore, observeSigning } from '../monitoring/observe.js';
import { createReadiness, type Readiness } from '../monitoring/readiness.js';
import { startTracing } from '../monitoring/startTracing.js';
import { collectStates } from '../monitoring/states.js';
import type { Tracing } from '../monitoring/tracing.js';
import { packageFolder, readVersion } from '../paths.js';
import type { DocumentSigner } from '../pdfCertificates/documentKey.js';
import { createWebhookTargets } from '../webhooks/targets.js';
import {
  type ConfiguredSigning,
  connectDatabase,
  openFiles,
  prepareConfiguredSigning,
  signingWarnings,
  startChain,
} from './bootstrap.js';
import { startDownloads } from './downloads.js';
import { startMail } from './mail.js';
import { describeDocumentRoots, openDocumentSigner, startCertificates } from './pdfCertificates.js';
import { startSweeper } from './sweeper.js';
import { startWebhooks } from './webhooks.js';

/** Most of the ten seconds that a stop may take; after it, connections with unfinished requests are cut. */
const DRAIN_MS = 6_000;

/** Idle workers end, and starting one takes seconds on a busy machine. A check that takes longer has found a stuck one. */
const WORKER_STARTUP_MS = 5_000;
/** Starting c2pa-rs compiles it, which takes ten seconds on a busy machine. */
const C2PA_STARTUP_MS = 15_000;

/** Built together with the service. */
const pageFolder = fileURLToPath(new URL('../web/dist/page', packageFolder));
const docsFolder = fileURLToPath(new URL('../web/dist/docs', packageFolder));

/** The process that the service runs in. */
export interface Host {
  readonly logger: FastifyBaseLogger;
  /** Shows the operator a message. */
  readonly notify: (message: string) => void;
  /** The embedded database is lost for good: the service cannot go on. */
  readonly onDatabaseLost: (reason: unknown) => void;
  readonly stop?: StopSignals;
}

export interface Registry {
  /** Of the development chain; undefined with RPC_URL. */
  readonly chainUrl: string | undefined;
  /** Closes the registry when it cannot listen. */
  listen(): Promise<void>;
  /** Finishes requests in progress, then closes every part. */
  close(): Promise<void>;
}

/** Rejects, with everything closed, when it fails or when a stop is requested before it is through. */
export function openRegistry(config: Config, host: Host): Promise<Registry> {
  const closers = new CloserStack();
  const build = async () => {
    const parts = await openParts(config, host, closers);
    closers.push(startSweeper(parts.ports, host.logger));
    closers.push(
      collectStates({
        about: { version: readVersion(), role: config.role },
        readiness: parts.readiness,
        databasePool: () => readPoolUse(parts.database),
        chain: parts.chain,
        readMirror: parts.ports.store.chainMirror.readProgress,
        readMailBacklog: config.mail && (() => mailOutbox(parts.database).readBacklog()),
        readDomainBacklog: () => domainQueue(parts.database).readBacklog(),
        readFeedBacklog: parts.ports.store.feed.readBacklog,
        readWebhookBacklog: () => webhookQueue(parts.database).readBacklog(parts.ports.clock()),
        certificateExpiresAt: parts.signing.certificate.expiresAt,
      }),
    );
    const server = buildServer({
      ...httpOptions(config, host, parts),
      page: { folder: pageFolder, docsFolder, origins: pageOrigins(config, parts.chain) },
    });
    closers.push(() => drain(server, host.stop?.hurried));
    return {
      chainUrl: config.rpcUrl === undefined ? parts.chain.contract.rpcUrl : undefined,
      listen: () => buildOrClose(closers, () => listen(server, config)),
      close: () => closers.close(),
    };
  };
  return buildOrClose(closers, build, host.stop?.requested);
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

/** Everything below the HTTP layer. */
export async function openParts(config: Config, host: Host, closers: CloserStack): Promise<RegistryParts> {
  const clock = () => new Date();
  const tracing = await startTracing(config.tracing && { ...config.tracing, version: readVersion() });
  closers.push(() => tracing.close());
  const warn = (message: string) => {
    host.logger.warn(message);
    host.notify(message);
  };
  const signing = observeSigning(await prepareConfiguredSigning(config, clock, warn), tracing);
  for (const warning of signingWarnings(signing, clock())) warn(warning);
  const documentKey = await openDocumentSigner(config, clock());
  const { database, address: databaseAddress } = await connectDatabase(config, closers, {
    openEmbedded: startEmbeddedDatabase,
    onLost: host.onDatabaseLost,
    notify: host.notify,
    stop: host.stop,
    prepare: (database) => migrateToLatest(database),
  });
  const { store: fileStore, served: servedFiles } = await openFiles(config);
  const files = observeFileStore(fileStore, tracing);
  const pseudonymSecret =
    config.pseudonymSecret ?? (await readOrCreateSecret(join(config.dataDir, 'pseudonym-secret')));
  const chain = await startChain(config, database, host.logger, tracing, pseudonymSecret);
  closers.push(() => chain.close());
  const secret = config.jwtSecret ?? (await readOrCreateSecret(join(config.dataDir, 'jwt-secret')));
  const reader = await createManifestReader(signing.trustAnchorsPem, { issuer: signing.issuer });
  closers.push(() => reader.close());
  const embedder = createEmbedder(signing.signing);
  closers.push(() => embedder.close());
  const certificates = signingCertificateQueries(database);
  await certificates.record(signing.certificate.sha256);
  const manifestInspector = createManifestInspector({
    trustAnchorsPem: signing.trustAnchorsPem,
    issuer: signing.issuer,
    isOwnCertificate: certificates.has,
  });
  closers.push(() => manifestInspector.close());
  const media = createMedia();
  closers.push(() => media.close());
  const claimEvidence = createEvidenceChecker({
    trust: config.claimTrust,
    manifests: manifestInspector,
    media,
    publicRegistry: chain.publicRegistry,
  });
  closers.push(() => claimEvidence.close());
  const documentSigner = await documentKey.signer;
  const certificateMaker = startCertificates(config, { signer: documentSigner, signing, chain, logger: host.logger });
  closers.push(() => certificateMaker.close());
  const uses = createUseBuffers(database);
  closers.push(() => uses.flush());
  const store = createStore(database, uses);
  const log = (level: 'info' | 'warn' | 'error', details: object, message: string) =>
    host.logger[level](details, message);
  const imageIndex = createImageIndex({
    source: imageCodeSource(database),
    log,
  });
  closers.push(() => imageIndex.close());
  // A worker process answers no searches.
  if (config.role !== 'worker') await imageIndex.start();
  const orderer = config.role === 'api' ? undefined : startEventOrderer({ feed: store.feed, log });
  closers.push(async () => orderer?.close());
  const webhookTargets = createWebhookTargets(config.webhooks);
  const ports: Ports = {
    store,
    passwords: scryptPasswords(),
    commonPasswords: createCommonPasswords(),
    totp: createTotp(pseudonymSecret, config.registryName),
    tokens: bearerTokens(secret, config.provider),
    linkTokens: linkTokens(secret),
    webhookSecrets: webhookSecrets(pseudonymSecret),
    webhookTargets,
    mail: createMailQueue({ isEnabled: config.mail !== undefined }),
    clock,
    tiers: config.tiers,
    billing: config.billing,
    markListCache: createMarkListCache(clock, store.marks.listWritableBy),
    files,
    manifests: createManifestWriter(signing.signing, reader),
    embedder,
    manifestInspector,
    media,
    imageIndex,
    soundIndex: createSoundIndex(store.soundCodes),
    chain,
    claimEvidence,
    certificates: certificateMaker,
    statusChanges: watchStatuses(store.artifacts),
    feedChanges: watchFeed(store.feed),
    eventOrder: orderer ?? { wake: () => {} },
    tracer: tracing,
    baseUrl: config.baseUrl,
    cdnUrl: config.cdnUrl,
  };
  const mailWorker = config.role === 'api' ? undefined : await startMail(config, ports, database, host.logger);
  closers.push(async () => mailWorker?.close());
  if (config.role !== 'api') {
    const domainWorker = startDomainWorker({
      queue: domainQueue(database),
      checker: createDomainChecker(config.domains),
      record: (domain, result) => recordDomainCheck(ports, domain, result),
      log,
    });
    closers.push(() => domainWorker.close());
    closers.push(startWebhooks(ports, { database, targets: webhookTargets, logger: host.logger }));
    closers.push(startDownloads(config, { database, files, signing, chain, clock, logger: host.logger }));
  }
  const readiness = createReadiness({
    database: { requiredFor: 'reads', run: () => pingDatabase(database) },
    // Uses a thread of libuv's pool, which native code can block.
    fileReads: { requiredFor: 'reads', run: () => readFile(new URL('package.json', packageFolder)) },
    ...(config.role !== 'worker' && {
      media: { requiredFor: 'reads', run: () => media.check(), startupMs: WORKER_STARTUP_MS },
      manifests: { requiredFor: 'reads', run: () => reader.check(), startupMs: C2PA_STARTUP_MS },
      recognition: { requiredFor: 'writes', run: () => manifestInspector.check(), startupMs: C2PA_STARTUP_MS },
      embedding: { requiredFor: 'writes', run: () => embedder.check(), startupMs: C2PA_STARTUP_MS },
    }),
    files: { requiredFor: 'writes', run: () => files.check() },
    signer: { requiredFor: 'writes', run: () => signing.signing.signer.sign(Buffer.from('ready?')) },
    chain: { requiredFor: 'nothing', run: () => chain.check() },
    ...(mailWorker && { mail: { requiredFor: 'nothing', run: () => mailWorker.check() } }),
  });
  const createdAt = await readCreationTime(database);
  return {
    ports,
    database,
    databaseAddress,
    createdAt,
    signing,
    documentSigner,
    chain,
    servedFiles,
    readiness,
    tracing,
  };
}

/** The HTTP layer over these parts, without the web pages. */
export function httpOptions(config: Config, { logger }: Host, parts: RegistryParts): HttpOptions {
  const { ports, signing, chain, readiness } = parts;
  return {
    ports,
    readiness,
    chain,
    maxUploadBytes: config.maxUploadBytes,
    ...(parts.servedFiles && { files: parts.servedFiles }),
    role: config.role,
    operatorToken: config.operatorToken,
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    version: readVersion(),
    logger,
    logReadsSample: config.logReadsSample,
    tracer: parts.tracing.requests,
    timestamps: signing.authority,
    identity: () => describeIdentity(config, parts),
    didDocument: signing.issuer.document,
  };
}

/** Built for each request: a node that is unavailable at the start reports its chain later. */
function describeIdentity(config: Config, parts: RegistryParts): RegistryIdentity {
  const { chain, signing, documentSigner, createdAt } = parts;
  const chainId = chain.contract.chainId ?? config.chainId;
  return {
    name: config.registryName,
    url: config.baseUrl,
    ...(chainId !== undefined && { chainId }),
    contract: chain.contract.address,
    ...signing.publishedRoots,
    ...(config.explorerUrl !== undefined && { explorerUrl: config.explorerUrl }),
    documentRoots: describeDocumentRoots(documentSigner),
    since: createdAt.toISOString(),
  };
}

/** What the pages read besides their own origin: published files, and a node of the chain. */
function pageOrigins({ cdnUrl }: Config, { contract }: Chain): string[] {
  const origins = [cdnUrl, contract.rpcUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  return [...new Set(origins)];
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use',
  EACCES: 'is not allowed',
  EADDRNOTAVAIL: 'is not on this machine',
};

async function listen(server: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = listenErrors[code];
    throw reason ? new Error(`HOST ${host}, PORT ${port} ${reason}: choose another.`) : error;
  }
}

async function drain(server: FastifyInstance, hurried: AbortSignal | undefined): Promise<void> {
  const cutOff = () => server.server.closeAllConnections();
  const timer = setTimeout(cutOff, DRAIN_MS);
  hurried?.addEventListener('abort', cutOff);
  await server.close();
  clearTimeout(timer);
}
