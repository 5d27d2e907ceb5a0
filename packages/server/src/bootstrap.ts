// What starting the service and starting the audit have in common: from the settings to the parts, and what is said when that
// does not work.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { type PreparedSigning, prepareSigning } from './c2pa/setup.js';
import { type ChainOptions, WrongChainError } from './chain/chainService.js';
import { type Config, ConfigError } from './config.js';
import { type Database, openDatabase, pingDatabase } from './database/connection.js';
import type { EmbeddedDatabase, EmbeddedOptions } from './database/embedded/index.js';
import type { Hex } from './domain/ports/index.js';
import { readOrMakeSecret } from './identity/secretFile.js';
import { packageFolder } from './paths.js';

/** A database that starts together with the service may need a moment. */
const DATABASE_PATIENCE_MS = 30_000;

const EXIT_BAD_SETTINGS = 2;

/** For people; the log, on standard output, is for machines. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** A certificate that verifiers would refuse is a setting that cannot be used. */
export function prepareSigningFor(config: Config, clock: () => Date): Promise<PreparedSigning> {
  const { dataDir, signing: source, timestampUrls } = config;
  return prepareSigning({ dataDir, version: readVersion(), source, timestampUrls, clock }).catch((error: Error) => {
    throw source ? new ConfigError([`SIGNING_CERT_FILE: ${error.message}`]) : error;
  });
}

export interface Connection {
  readonly database: Database;
  readonly stopDatabase: () => Promise<void>;
}

export interface ConnectionOptions {
  /** How the database of the data folder is had, when the settings name no other. */
  readonly embed: (options: EmbeddedOptions) => Promise<EmbeddedDatabase>;
  readonly onLost: (reason: unknown) => void;
  /** What has to be so, or be made so, before it is used. */
  readonly prepare: (database: Database) => Promise<void>;
  readonly statementMs?: number;
}

export async function connect(config: Config, options: ConnectionOptions): Promise<Connection> {
  const { embed, onLost, prepare, statementMs } = options;
  const { databaseUrl, dataDir } = config;
  const embedded = databaseUrl === undefined ? await embed({ dataDir, say, onLost }) : undefined;
  const database = openDatabase(embedded?.address ?? { connectionString: databaseUrl ?? '' }, statementMs);
  const stopDatabase = async () => {
    await database.destroy();
    await embedded?.stop();
  };
  try {
    await waitForDatabase(database);
    await prepare(database);
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

/** A node of another chain, or without the contract, is a setting that cannot be used. */
export function asBadSetting(error: unknown): never {
  throw error instanceof WrongChainError ? new ConfigError([error.message]) : error;
}

export function readVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}

export function refuseBadSettings(error: unknown): void {
  if (!(error instanceof ConfigError)) return;
  for (const problem of error.problems) say(problem);
  process.exit(EXIT_BAD_SETTINGS);
}

/** With what is behind it: that something is away says little to those who run it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
