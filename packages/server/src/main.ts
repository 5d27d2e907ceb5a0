#!/usr/bin/env node
// The service: reads the settings, builds the parts, starts them, and stops them in order. The only file that knows all of
// them. With the word `audit` it is the audit of what the service has written.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { audit, failAudit } from './auditCommand.js';
import {
  asBadSetting,
  chainSource,
  connect,
  prepareSigningFor,
  readVersion,
  reasonOf,
  refuseBadSettings,
  say,
} from './bootstrap.js';
import { expiryWarning } from './c2pa/certificates.js';
import { createEmbedder } from './c2pa/embedder.js';
import { createManifestEngine } from './c2pa/engine.js';
import { createManifestReader } from './c2pa/reader.js';
import type { PreparedSigning } from './c2pa/setup.js';
import { type Chain, openChain } from './chain/chainService.js';
import { type Config, ConfigError, loadConfig, settings } from './config.js';
import { batchLoad, groupCommit } from './database/batching.js';
import { type Database, pingDatabase } from './database/connection.js';
import { startEmbeddedDatabase } from './database/embedded/index.js';
import { migrateToLatest } from './database/migrate.js';
import { rememberApiKeyUses } from './database/queries/apiKeys.js';
import { registrationQueue } from './database/queries/registrationQueue.js';
import { createStore } from './database/store.js';
import { undoAbandonedCreations } from './domain/abandonedDrafts.js';
import { createMarkListCache } from './domain/markListCache.js';
import type { FileStore, Ports } from './domain/ports/index.js';
import { watchStatuses } from './domain/statusChanges.js';
import { openDiskStore } from './files/disk.js';
import { openS3Store } from './files/s3.js';
import { buildServer } from './http/server.js';
import { scryptPasswords } from './identity/passwords.js';
import { readOrMakeSecret } from './identity/secretFile.js';
import { bearerTokens } from './identity/tokens.js';
import { createMedia } from './media/index.js';
import { packageFolder } from './paths.js';

/** SIGTERM promises an end within ten seconds: requests get most of them. */
const DRAIN_MS = 6_000;
const STOP_MS = 9_500;
/** Twice in the time after which a creation counts as dead. */
const SWEEP_MS = 15_000;

const EXIT_FAILED = 1;

const logger = pino({ timestamp: pino.stdTimeFunctions.isoTime, base: { pid: process.pid } });

async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  const clock = () => new Date();
  const prepared = await signingFor(config, clock);
  const { database, stopDatabase } = await connect(config, {
    embed: startEmbeddedDatabase,
    onLost: fail,
    prepare: migrateToLatest,
  });
  const files = await openFiles(config).catch(async (error: unknown) => {
    await stopDatabase();
    throw error;
  });
  const chain = await startChain(config, database).catch(async (error: unknown) => {
    await stopDatabase();
    throw error;
  });
  const secret = config.jwtSecret ?? (await readOrMakeSecret(join(config.dataDir, 'jwt-secret')));
  const uses = rememberApiKeyUses(database);
  const store = createStore(database, uses);
  const reader = await createManifestReader(prepared.trustAnchorsPem);
  const embedder = await createEmbedder(prepared.signing);
  const media = createMedia();
  const ports: Ports = {
    store,
    passwords: scryptPasswords(),
    tokens: bearerTokens(secret, config.provider),
    clock,
    tiers: config.tiers,
    billing: config.billing,
    markListCache: createMarkListCache(clock),
    files,
    manifests: createManifestEngine(prepared.signing, reader),
    embedder,
    media,
    chain,
    statusChanges: watchStatuses(store.artifacts),
    lookup: batchLoad(store.artifacts.findIds),
    recording: groupCommit(store.artifacts.insert),
    baseUrl: config.baseUrl,
    cdnUrl: config.cdnUrl,
  };
  const stopSweeping = sweep(ports);
  const app = buildServer({
    ports,
    readiness: {
      needed: {
        database: () => pingDatabase(database),
        files: () => files.check(),
        signer: async () => void (await prepared.signing.signer.sign(Buffer.from('ready?'))),
      },
      reported: { chain: chain.check },
    },
    chain,
    maxUploadBytes: config.maxUploadBytes,
    // In a bucket they are served from there.
    ...(config.storage === undefined && { files }),
    role: config.role,
    operatorToken: config.operatorToken,
    baseUrl: config.baseUrl,
    version: readVersion(),
    logger,
    timestamps: prepared.authority,
    page: { folder: pageFolder, origins: pageOrigins(config, chain) },
  });

  stopOnSignals(async () => {
    const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
    await app.close();
    clearTimeout(cutOff);
    await uses.flush();
    await stopSweeping();
    await Promise.all([reader.close(), embedder.close(), media.close()]);
    await chain.close();
    await stopDatabase();
  });
  await app.listen({ host: config.host, port: config.port }).catch(async (error: NodeJS.ErrnoException) => {
    await chain.close();
    await stopDatabase();
    const reason = { EADDRINUSE: 'is in use', EACCES: 'is not allowed', EADDRNOTAVAIL: 'is not on this machine' };
    const known = Object.entries(reason).find(([code]) => code === error.code)?.[1];
    throw known ? new Error(`HOST ${config.host}, PORT ${config.port} ${known}: choose another.`) : error;
  });
  announce(config);
}

/** Built by the start and test commands. */
const pageFolder = fileURLToPath(new URL('../web/dist/page', packageFolder));

/** What the page reads, also when it was opened under another name: published files, and a node of the chain. */
function pageOrigins({ cdnUrl }: Config, { contract }: Chain): string[] {
  const origins = [cdnUrl, contract.rpcUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  return [...new Set(origins)];
}

/** Told while there is time to renew it. */
async function signingFor(config: Config, clock: () => Date): Promise<PreparedSigning> {
  const found = await prepareSigningFor(config, clock);
  const warning = expiryWarning(found.certificate, clock());
  if (warning) {
    logger.warn(warning);
    say(warning);
  }
  return found;
}

async function openFiles(config: Config): Promise<FileStore> {
  return config.storage
    ? openS3Store(config.storage, process.env)
    : await openDiskStore(join(config.dataDir, 'public'));
}

/** What creations that died have left is gone within a minute of the start. */
function sweep(ports: Ports): () => Promise<void> {
  let running = Promise.resolve();
  const look = () => {
    running = undoAbandonedCreations(ports).catch((error: unknown) => logger.warn({ err: error }, 'sweep'));
  };
  const timer = setInterval(look, SWEEP_MS);
  look();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function startChain(config: Config, database: Database): Promise<Chain> {
  try {
    return await openChain({
      source: await chainSource(config, (error) => logger.error({ err: error }, 'development chain')),
      queue: registrationQueue(database),
      endpoint: `${config.baseUrl}/api/c2pa`,
      publicUrl: config.publicRpcUrl,
      confirmations: config.chainConfirmations,
      retry: config.chainRetry,
      log: (level, details, message) => logger[level](details, message),
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Error(`CHAIN_PORT ${config.chainPort} is in use: choose another.`);
    }
    return asBadSetting(error);
  }
}

function announce(config: Config): void {
  logger.info({ role: config.role, baseUrl: config.baseUrl, dataDir: config.dataDir }, 'started');
  say(`The provenance registry is ready.
  Page           ${config.baseUrl}/
  API reference  ${config.baseUrl}/api/reference
${config.rpcUrl === undefined ? `  Chain          http://127.0.0.1:${config.chainPort}\n` : ''}  Data folder    ${config.dataDir}`);
}

function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(EXIT_FAILED);
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => fail(new Error('could not stop in time')), STOP_MS).unref();
    stop().then(() => process.exit(0), fail);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

function explain(): void {
  const lines = Object.entries(settings).map(
    ([name, [fallback, meaning]]) => `  ${name}\n      ${meaning} (default: ${fallback})`,
  );
  process.stdout.write(`provenance-server        starts the service
provenance-server audit  looks for what database, published files and chain do not say alike (audit --help)

The provenance registry is configured by environment variables:\n\n${lines.join('\n')}\n`);
}

function fail(error: unknown): never {
  refuseBadSettings(error);
  logger.fatal({ err: error }, 'stopped');
  say(reasonOf(error));
  process.exit(EXIT_FAILED);
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'audit') audit(rest).then((code) => process.exit(code), failAudit);
else if (command === '--help') explain();
else if (command === undefined) serve().catch(fail);
else fail(new ConfigError([`${command}: there is no such command; --help tells of those there are`]));
