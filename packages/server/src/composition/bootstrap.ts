// Building blocks shared by the service and its commands: parts opened from the settings, and messages to the operator.

import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { expiryWarning } from '../c2pa/signing/certificates.js';
import { createIdentityIssuer, generateIssuerKey, type IdentityIssuer } from '../c2pa/signing/identityIssuer.js';
import { UnusableTimestampsError } from '../c2pa/signing/signingProbe.js';
import { type PreparedSigning, prepareSigning } from '../c2pa/signing/signingSetup.js';
import { type Chain, type ChainOptions, openChain } from '../chain/chainService.js';
import { WrongChainError } from '../chain/chainSource.js';
import { type Config, ConfigError } from '../config/config.js';
import {
  type Database,
  type DatabaseAddress,
  keepsPreparedStatements,
  openDatabase,
  pingDatabase,
} from '../database/connection.js';
import type { EmbeddedDatabase, EmbeddedOptions } from '../database/embedded/index.js';
import { isMigrated } from '../database/migrate.js';
import { registrationQueue } from '../database/queries/artifacts/chainOutbox.js';
import { mirrorStore } from '../database/queries/lookups/chainMirror.js';
import type { ChainTracer, FileStore, Hex, ServedFiles } from '../domain/ports/index.js';
import { openDiskStore } from '../files/disk.js';
import { openS3Store } from '../files/s3.js';
import { readOrCreateSecret } from '../identity/secretFile.js';
import type { CloserStack, StopSignals } from '../jobs/closers.js';
import { readVersion } from '../paths.js';

/** A database that starts at the same time as the service may need a moment. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_POLL_MS = 250;

export interface ConfiguredSigning extends PreparedSigning {
  /** Of identities in manifests. */
  readonly issuer: IdentityIssuer;
}

/**
 * A certificate or a time-stamp authority that readers would refuse is reported as a bad setting.
 * @param warn with it, both are tried out; receives what could not be
 */
export async function prepareConfiguredSigning(
  config: Config,
  clock: () => Date,
  warn?: (message: string) => void,
): Promise<ConfiguredSigning> {
  const { dataDir, signing: source, timestampUrls, signingRoots, timestampRoots } = config;
  const options = { dataDir, version: readVersion(), source, timestampUrls, signingRoots, timestampRoots, clock, warn };
  const prepared = await prepareSigning(options).catch((error: Error) => {
    if (!source) throw error;
    const setting = error instanceof UnusableTimestampsError ? 'TSA_URL' : 'SIGNING_CERT_FILE';
    throw new ConfigError([`${setting}: ${error.message}`]);
  });
  const issuer = await openIssuer(config);
  return { ...prepared, signing: { ...prepared.signing, issuer }, issuer };
}

/** What the operator should know about the signing certificate and its roots. */
export function signingWarnings({ certificate, publishedRoots }: PreparedSigning, now: Date): string[] {
  const { signerRoots, timestampRoots } = publishedRoots;
  const warnings = [
    expiryWarning(certificate, now),
    signerRoots.length === 0 &&
      'The root of the signing certificate is not published: SIGNING_ROOTS_FILE is not set, and SIGNING_CERT_FILE has no root.',
    timestampRoots.length === 0 &&
      'The roots of the time-stamp authorities are not published: TSA_ROOTS_FILE is not set.',
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

async function openIssuer({ dataDir, identityKeyFile, baseUrl, registryName: name }: Config): Promise<IdentityIssuer> {
  const keysPem =
    identityKeyFile === undefined
      ? await readOrCreateSecret(join(dataDir, 'identity-key.pem'), generateIssuerKey)
      : await readFile(identityKeyFile, 'utf8');
  try {
    return createIdentityIssuer({ keysPem, baseUrl, name });
  } catch (error) {
    if (identityKeyFile === undefined) throw error;
    throw new ConfigError([`IDENTITY_KEY_FILE: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Published files, and as those that the service serves itself: an S3-compatible store does that alone. */
export async function openFiles(config: Config): Promise<{ store: FileStore; served: ServedFiles | undefined }> {
  if (config.storage) return { store: openS3Store(config.storage, config.storage.environment), served: undefined };
  const store = await openDiskStore(join(config.dataDir, 'public'));
  return { store, served: store };
}

export interface DatabaseConnection {
  readonly database: Database;
  readonly address: DatabaseAddress;
}

export interface DatabaseOptions {
  /** Starts or joins the embedded database; used when the settings name no other. */
  readonly openEmbedded: (options: EmbeddedOptions) => Promise<EmbeddedDatabase>;
  readonly onLost: (reason: unknown) => void;
  readonly notify: (message: string) => void;
  readonly stop?: StopSignals | undefined;
  /** Migrates the schema, or checks that it is current. */
  readonly prepare: (database: Database) => Promise<void>;
  readonly statementMs?: number;
}

export async function connectDatabase(
  { databaseUrl, dataDir }: Config,
  closers: CloserStack,
  { openEmbedded, onLost, notify, stop, prepare, statementMs }: DatabaseOptions,
): Promise<DatabaseConnection> {
  let address: DatabaseAddress;
  if (databaseUrl === undefined) {
    const opening = openEmbedded({ dataDir, notify, onLost, stop });
    // Before it is open: a stop waits until a start in progress has undone its part.
    closers.push(async () => (await opening.catch(() => undefined))?.stop());
    address = (await opening).address;
  } else address = { connectionString: databaseUrl };
  const database = openDatabase(address, statementMs);
  closers.push(() => database.destroy());
  await waitForDatabase(database, notify);
  if (databaseUrl !== undefined) await requirePreparedStatements(address);
  await prepare(database);
  return { database, address };
}

/** For commands beside the service, which alone changes the schema. */
export async function requireMigrated(database: Database): Promise<void> {
  if (await isMigrated(database)) return;
  throw new Error('The database schema is not current: start the service once to migrate it.');
}

async function requirePreparedStatements(address: DatabaseAddress): Promise<void> {
  if (await keepsPreparedStatements(address)) return;
  throw new ConfigError([
    'DATABASE_URL: the connection pooler loses prepared statements: PgBouncer needs version 1.21 or newer with ' +
      'max_prepared_statements above 0, or pool_mode = session',
  ]);
}

async function waitForDatabase(database: Database, notify: (message: string) => void): Promise<void> {
  const startedAt = Date.now();
  let hasNotified = false;
  for (;;) {
    try {
      await pingDatabase(database);
      return;
    } catch (error) {
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      if (Date.now() - startedAt > DATABASE_WAIT_MS) throw new Error(`The database cannot be reached: ${reason}`);
      if (!hasNotified) notify(`Waiting for the database: ${reason}`);
      hasNotified = true;
      await delay(DATABASE_POLL_MS);
    }
  }
}

export async function chainSource(config: Config, onFault: (error: unknown) => void): Promise<ChainOptions['source']> {
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
    origin: new URL(config.baseUrl).origin,
    adminKey: await readOrCreatePrivateKey(join(dataDir, 'chain-admin-key')),
    writingKey: config.chainPrivateKey ?? (await readOrCreatePrivateKey(join(dataDir, 'chain-key'))),
    writes: role !== 'api',
    onFault,
  };
}

/** Any 32 random bytes are a valid private key, except with negligible probability. */
async function readOrCreatePrivateKey(path: string): Promise<Hex> {
  return `0x${Buffer.from(await readOrCreateSecret(path), 'base64url').toString('hex')}`;
}

/** A node of another chain, or one without the contract, is reported as a bad setting. */
export function rethrowChainError(error: unknown): never {
  throw error instanceof WrongChainError ? new ConfigError([error.message]) : error;
}

/** Where a started service keeps its data, as pairs of a name and a place. No place contains a password. */
export function describeData(config: Config): [name: string, place: string][] {
  const { dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls, jwtSecret, identityKeyFile, documentKey } =
    config;
  const isDevelopmentChain = rpcUrl === undefined;
  /** Elsewhere than in the data folder when the service runs as root. */
  const databaseFolder = databaseUrl === undefined ? realpathSync(join(dataDir, 'postgresql')) : undefined;
  const isInside = databaseFolder?.startsWith(join(realpathSync(dataDir), '/')) === true;
  const hasKeys =
    isDevelopmentChain ||
    signing === undefined ||
    timestampUrls.length === 0 ||
    jwtSecret === undefined ||
    identityKeyFile === undefined ||
    documentKey === undefined;
  const contents = [
    isInside && 'database',
    storage === undefined && 'published files',
    isDevelopmentChain && 'chain',
    hasKeys && 'keys',
  ].filter((name) => name !== false);
  return [
    ...(contents.length > 0 ? pair('Data folder', `${dataDir} (${contents.join(', ')})`) : []),
    ...(databaseUrl !== undefined ? pair('Database', describeDatabase(databaseUrl)) : []),
    ...(databaseFolder !== undefined && !isInside ? pair('Database', databaseFolder) : []),
    ...(storage ? pair('Files', `s3://${storage.bucket}/${storage.prefix}`) : []),
    ...(isDevelopmentChain ? [] : pair('Chain', `node at ${new URL(rpcUrl).host}`)),
  ];
}

function pair(name: string, place: string): [string, string][] {
  return [[name, place]];
}

/** Without user and password. The host of a Unix socket is a parameter. */
function describeDatabase(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${pathname.slice(1) || 'default database'} at ${host || searchParams.get('host') || 'the local server'}`;
}

/** Includes the cause: "the database is unavailable" alone does not tell an operator what to fix. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** The chain as the settings describe it, with the parts of this process's role. */
export async function startChain(
  config: Config,
  database: Database,
  logger: FastifyBaseLogger,
  tracer: ChainTracer,
  pseudonymSecret: string,
): Promise<Chain> {
  try {
    return await openChain({
      source: await chainSource(config, (error) => logger.error({ err: error }, 'development chain')),
      queue: registrationQueue(database),
      mirror: config.role === 'api' ? undefined : mirrorStore(database),
      endpoint: `${config.baseUrl}/api/c2pa`,
      publicUrl: config.publicRpcUrl,
      confirmations: config.chainConfirmations,
      pseudonymSecret,
      retry: config.chainRetry,
      log: (level, details, message) => logger[level](details, message),
      tracer,
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Error(`CHAIN_PORT ${config.chainPort} is in use: choose another.`);
    }
    return rethrowChainError(error);
  }
}
