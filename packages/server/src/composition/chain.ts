// The chain from the settings: a node, or the development chain of the data folder.

import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { type Chain, openChain } from '../chain/chainService.js';
import { type ChainConnection, type ChainSource, connectionToNode, WrongChainError } from '../chain/chainSource.js';
import { provideDevelopmentChain } from '../chain/development/developmentChain.js';
import { type Config, ConfigError } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { ChainOutboxQueries } from '../database/queries/artifacts/chainOutbox.js';
import { LogAnchorQueries } from '../database/queries/log/logAnchors.js';
import { LogSequenceQueries } from '../database/queries/log/logSequence.js';
import { ChainMirrorQueries } from '../database/queries/lookups/chainMirror.js';
import type { ChainTracer, Hex, LogFiles } from '../domain/ports/index.js';
import type { CloserStack } from '../jobs/closers.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { createAnchoredLog } from '../publicLog/anchoredLog.js';
import { readOrCreateSecret } from '../secretFile.js';

export async function chainSource(config: Config, onFault: (error: unknown) => void): Promise<ChainSource> {
  const { rpcUrl, registryAddress, logContract, chainId, chainPort, dataDir, role } = config;
  if (rpcUrl !== undefined && registryAddress !== undefined) {
    const writingKey = role === 'api' ? undefined : config.chainPrivateKey;
    return { kind: 'node', url: rpcUrl, chainId, registry: registryAddress, logContract, writingKey };
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
    joins: config.databaseUrl !== undefined,
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

interface ConnectedChain {
  readonly source: ChainSource;
  readonly connection: ChainConnection;
}

/** Begins to connect to the chain, which takes about as long as to start the database and does not need it. */
export function connectToChain(
  config: Config,
  logger: FastifyBaseLogger,
  closers: CloserStack,
): Promise<ConnectedChain> {
  const stopping = new AbortController();
  async function connect(): Promise<ConnectedChain> {
    const source = await chainSource(config, (error) => logger.error({ err: error }, 'development chain'));
    if (source.kind === 'node') return { source, connection: connectionToNode(source) };
    const { baseUrl, chainConfirmations: confirmations } = config;
    const options = { endpoint: `${baseUrl}/api/c2pa`, confirmations, stop: stopping.signal };
    return { source, connection: await provideDevelopmentChain(source, options) };
  }
  const connecting = connect();
  // A failure is reported where the connection is awaited.
  const settled = connecting.catch(() => undefined);
  closers.push(async () => {
    stopping.abort();
    await (await settled)?.connection.close();
  });
  return connecting;
}

interface ChainParts {
  readonly connecting: Promise<ConnectedChain>;
  readonly database: Database;
  readonly logger: FastifyBaseLogger;
  readonly tracer: ChainTracer;
  readonly notices: WorkNotices;
  readonly pseudonymSecret: string;
  /** Files of the public log. */
  readonly logFiles: LogFiles;
}

/** The chain as the settings describe it, with the parts of this process's role. */
export async function startChain(
  config: Config,
  { connecting, database, logger, tracer, notices, pseudonymSecret, logFiles }: ChainParts,
): Promise<Chain> {
  try {
    const { source, connection } = await connecting;
    return await openChain(connection, {
      source,
      queue: new ChainOutboxQueries(database),
      mirror: config.role === 'api' ? undefined : new ChainMirrorQueries(database),
      publicUrl: config.publicRpcUrl,
      confirmations: config.chainConfirmations,
      anchoring: {
        log: createAnchoredLog(new LogSequenceQueries(database), logFiles),
        records: new LogAnchorQueries(database),
        intervalMs: config.logAnchorIntervalMs,
      },
      pseudonymSecret,
      retry: config.chainRetry,
      log: (level, details, message) => logger[level](details, message),
      tracer,
      notices,
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Error(`CHAIN_PORT ${config.chainPort} is in use: choose another.`);
    }
    return rethrowChainError(error);
  }
}
