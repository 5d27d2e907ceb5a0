// Building blocks shared by the service and the audit command: parts opened from the settings, and messages to the operator.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type PreparedSigning, prepareSigning } from './c2pa/signingSetup.js';
import type { ChainOptions } from './chain/chainService.js';
import { WrongChainError } from './chain/chainSource.js';
import type { CloserStack, StopSignals } from './closers.js';
import { type Config, ConfigError } from './config.js';
import { type Database, type DatabaseAddress, openDatabase, pingDatabase } from './database/connection.js';
import type { EmbeddedDatabase, EmbeddedOptions } from './database/embedded/index.js';
import type { Hex } from './domain/ports/index.js';
import { readOrCreateSecret } from './identity/secretFile.js';
import { packageFolder } from './paths.js';

/** A database that starts at the same time as the service may need a moment. */
const DATABASE_WAIT_MS = 30_000;
const DATABASE_POLL_MS = 250;

const EXIT_BAD_SETTINGS = 2;

/** Messages for the operator go to standard error; standard output is for the log. */
export function printMessage(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** A certificate that verifiers would refuse is reported as a bad setting. */
export function prepareConfiguredSigning(config: Config, clock: () => Date): Promise<PreparedSigning> {
  const { dataDir, signing: source, timestampUrls } = config;
  return prepareSigning({ dataDir, version: readVersion(), source, timestampUrls, clock }).catch((error: Error) => {
    throw source ? new ConfigError([`SIGNING_CERT_FILE: ${error.message}`]) : error;
  });
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
  await prepare(database);
  return { database, address };
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

export function readVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}

/** Bad settings or arguments: prints one line for each problem and exits. Returns for any other error. */
export function exitOnConfigError(error: unknown): void {
  if (!(error instanceof ConfigError)) return;
  for (const problem of error.problems) printMessage(problem);
  process.exit(EXIT_BAD_SETTINGS);
}

/** Includes the cause: "the database is unavailable" alone does not tell an operator what to fix. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
