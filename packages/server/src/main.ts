#!/usr/bin/env node
// Reads the settings, builds the parts, starts them, and stops them in order. The only file that knows all of them. Without
// a word it is the service; `audit` looks at what the service has written.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { runAudit } from './audit/index.js';
import { createReporter } from './audit/reporting.js';
import { expiryWarning } from './c2pa/certificates.js';
import { createEmbedder } from './c2pa/embedder.js';
import { createManifestEngine } from './c2pa/engine.js';
import { createInspector } from './c2pa/inspection.js';
import { createManifestReader } from './c2pa/reader.js';
import { type PreparedSigning, prepareSigning } from './c2pa/setup.js';
import { type Chain, type ChainOptions, openChain, openChainReader, WrongChain } from './chain/index.js';
import { type Config, ConfigError, loadConfig, settings } from './config.js';
import { rememberApiKeyUses } from './database/apiKeys.js';
import { auditRecords } from './database/audit.js';
import { type Database, openDatabase, pingDatabase } from './database/connection.js';
import { joinEmbeddedDatabase, startEmbeddedDatabase } from './database/embedded/index.js';
import { isMigrated, migrateToLatest } from './database/migrate.js';
import { registrationQueue } from './database/registrationQueue.js';
import { createStore } from './database/store.js';
import { joinDiskStore, openDiskStore } from './files/disk.js';
import { openS3Store } from './files/s3.js';
import { buildServer } from './http/server.js';
import { scryptPasswords } from './identity/passwords.js';
import { readOrMakeSecret } from './identity/secretFile.js';
import { bearerTokens } from './identity/tokens.js';
import { createMedia } from './media/index.js';
import { undoAbandonedCreations } from './registry/creation.js';
import { shareLookups } from './registry/lookups.js';
import { rememberMarkLists } from './registry/markLists.js';
import type { FileStore, Hex, Ports } from './registry/ports.js';
import { watchStatuses } from './registry/statusChanges.js';

/** SIGTERM promises an end within ten seconds: requests get most of them. */
const DRAIN_MS = 6_000;
const STOP_MS = 9_500;
/** A database that starts together with the service may need a moment. */
const DATABASE_PATIENCE_MS = 30_000;

/** Twice in the time after which a creation counts as dead. */
const SWEEP_MS = 15_000;

/** Counting all that an owner has reads a whole index. */
const AUDIT_STATEMENT_MS = 600_000;

const EXIT_FAILED = 1;
const EXIT_BAD_SETTINGS = 2;
const EXIT_DIVERGENCES = 1;
const EXIT_NOT_AUDITED = 3;

/** For people; the log, on standard output, is for machines. */
function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

const logger = pino({ timestamp: pino.stdTimeFunctions.isoTime, base: { pid: process.pid } });

async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  const clock = () => new Date();
  const prepared = await signingFor(config, clock);
  const { database, stopDatabase } = await connect(config);
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
    markLists: rememberMarkLists(clock),
    files,
    manifests: createManifestEngine(prepared.signing, reader),
    embedder,
    media,
    chain,
    statusChanges: watchStatuses(store.artifacts),
    lookup: shareLookups(store.artifacts),
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

/** Walks what the service has written, beside it or while it is stopped; answers with the exit code. */
async function audit(args: readonly string[]): Promise<number> {
  const { help, repair, json } = auditArguments(args);
  if (help) {
    process.stdout.write(auditHelp);
    return 0;
  }
  const config = loadConfig(process.env);
  requireTraces(config);
  const clock = () => new Date();
  const stopped = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stopped.abort(new Error('The audit was stopped before its end.')));
  }
  const { signing, trustAnchorsPem } = await prepared(config, clock);
  const endings: (() => Promise<void>)[] = [];
  try {
    const reader = await createManifestReader(trustAnchorsPem);
    endings.unshift(() => reader.close());
    const { database, stopDatabase } = await joinDatabase(config);
    endings.unshift(stopDatabase);
    const source = await chainSource(config, (error) => say(`development chain: ${String(error)}`));
    const chain = await openChainReader({ source, queue: registrationQueue(database) }).catch(asBadSetting);
    endings.unshift(() => chain.close());
    const reporter = createReporter({ json, repair, output: process.stdout, say, clock });
    const parts = {
      records: auditRecords(database),
      files: config.storage ? openS3Store(config.storage, process.env) : joinDiskStore(join(config.dataDir, 'public')),
      inspector: createInspector(signing, reader),
      chain,
      clock,
    };
    const summary = await runAudit(parts, {
      repair,
      stopped: stopped.signal,
      onDivergence: reporter.divergence,
      onProgress: reporter.progress,
    });
    await reporter.end(summary);
    return summary.remaining === 0 ? 0 : EXIT_DIVERGENCES;
  } finally {
    for (const end of endings) await end();
  }
}

const auditHelp = `provenance-server audit [--repair] [--json]

Walks database, published files and chain against each other and prints every divergence, a line each. It takes the
settings of the service, and may run beside it.

  --repair  repairs what can be repaired without inventing anything
  --json    prints each divergence as JSON, and a summary at the end

Exit codes: 0 no divergence, or all are repaired; 1 divergences remain; 2 settings or arguments that cannot be used;
3 the audit could not be carried out.
`;

function auditArguments(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ args: [...args], options: { help: flag, repair: flag, json: flag } }).values;
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** What the service keeps in its folder is there, unless it is the wrong folder: nothing is made anew to be audited. */
function requireTraces({ dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls }: Config): void {
  const traces: [boolean, string][] = [
    [databaseUrl === undefined, 'postgresql'],
    [storage === undefined, 'public'],
    [rpcUrl === undefined, 'chain-admin-key'],
    [signing === undefined || timestampUrls.length === 0, 'keys'],
  ];
  const missing = traces.filter(([needed, name]) => needed && !existsSync(join(dataDir, name)));
  if (missing.length === 0) return;
  throw new ConfigError(missing.map(([, name]) => `DATA_DIR: there is no ${name} in ${dataDir}`));
}

async function joinDatabase(config: Config): Promise<{ database: Database; stopDatabase: () => Promise<void> }> {
  const embedded =
    config.databaseUrl === undefined
      ? await joinEmbeddedDatabase({ dataDir: config.dataDir, say, onLost: failAudit })
      : undefined;
  const address = embedded?.address ?? { connectionString: config.databaseUrl ?? '' };
  const database = openDatabase(address, AUDIT_STATEMENT_MS);
  const stopDatabase = async () => {
    await database.destroy();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(database);
    if (await isMigrated(database)) return { database, stopDatabase };
    throw new Error('The database is not as this release has it: start the service once.');
  } catch (error) {
    await stopDatabase();
    throw error;
  }
}

/** Built by the start and test commands. */
const pageFolder = fileURLToPath(new URL('../../web/dist/page', import.meta.url));

/** What the page reads, also when it was opened under another name: published files, and a node of the chain. */
function pageOrigins({ cdnUrl }: Config, { contract }: Chain): string[] {
  const origins = [cdnUrl, contract.rpcUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]));
  return [...new Set(origins)];
}

/** A certificate that verifiers would refuse is a setting that cannot be used. */
async function signingFor(config: Config, clock: () => Date): Promise<PreparedSigning> {
  const found = await prepared(config, clock);
  const warning = expiryWarning(found.certificate, clock());
  if (warning) {
    logger.warn(warning);
    say(warning);
  }
  return found;
}

function prepared(config: Config, clock: () => Date): Promise<PreparedSigning> {
  const { dataDir, signing: source, timestampUrls } = config;
  return prepareSigning({ dataDir, version: readVersion(), source, timestampUrls, clock }).catch((error: Error) => {
    throw source ? new ConfigError([`SIGNING_CERT_FILE: ${error.message}`]) : error;
  });
}

async function connect(config: Config): Promise<{ database: Database; stopDatabase: () => Promise<void> }> {
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedDatabase({ dataDir: config.dataDir, say, onLost: fail })
      : undefined;
  const database = openDatabase(embedded?.address ?? { connectionString: config.databaseUrl ?? '' });
  const stopDatabase = async () => {
    await database.destroy();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(database);
    await migrateToLatest(database);
  } catch (error) {
    await stopDatabase();
    throw error;
  }
  return { database, stopDatabase };
}

async function waitForDatabase(database: Database): Promise<void> {
  const began = Date.now();
  let told = false;
  for (;;) {
    try {
      await pingDatabase(database);
      return;
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      if (Date.now() - began > DATABASE_PATIENCE_MS) throw new Error(`The database cannot be reached: ${reason}`);
      if (!told) say(`Waiting for the database: ${reason}`);
      told = true;
      await delay(250);
    }
  }
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

function asBadSetting(error: unknown): never {
  throw error instanceof WrongChain ? new ConfigError([error.message]) : error;
}

async function chainSource(config: Config, onFault: (error: unknown) => void): Promise<ChainOptions['source']> {
  const { rpcUrl, registryAddress, chainId, chainPort, dataDir, role } = config;
  if (rpcUrl !== undefined && registryAddress !== undefined) {
    const writingKey = role === 'api' ? undefined : config.chainPrivateKey;
    return { kind: 'node', url: rpcUrl, chainId, registry: registryAddress, writingKey };
  }
  const folder = join(dataDir, 'chain');
  return {
    kind: 'development',
    folder,
    port: chainPort,
    adminKey: await ownKey(join(dataDir, 'chain-admin-key')),
    writingKey: config.chainPrivateKey ?? (await ownKey(join(dataDir, 'chain-key'))),
    writes: role !== 'api',
    onFault,
  };
}

/** A secret of 32 bytes is a private key, but for a chance that nobody will ever see. */
async function ownKey(path: string): Promise<Hex> {
  return `0x${Buffer.from(await readOrMakeSecret(path), 'base64url').toString('hex')}`;
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

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}

function fail(error: unknown): never {
  refuseBadSettings(error);
  logger.fatal({ err: error }, 'stopped');
  say(reasonOf(error));
  process.exit(EXIT_FAILED);
}

/** Standard output is for what was found. */
function failAudit(error: unknown): never {
  refuseBadSettings(error);
  say(`The audit could not be carried out: ${reasonOf(error)}`);
  process.exit(EXIT_NOT_AUDITED);
}

function refuseBadSettings(error: unknown): void {
  if (!(error instanceof ConfigError)) return;
  for (const problem of error.problems) say(problem);
  process.exit(EXIT_BAD_SETTINGS);
}

/** With what is behind it: that something is away says little to those who run it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'audit') audit(rest).then((code) => process.exit(code), failAudit);
else if (command === '--help') explain();
else if (command === undefined) serve().catch(fail);
else fail(new ConfigError([`${command}: there is no such command; --help tells of those there are`]));
