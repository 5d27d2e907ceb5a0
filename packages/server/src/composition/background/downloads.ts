// Starts the worker of the signed downloads from the configuration.

import type { FastifyBaseLogger } from 'fastify';
import type { PreparedSigning } from '../../c2pa/signing/signingSetup.js';
import type { Chain } from '../../chain/chainService.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../database/connection.js';
import { DownloadQueries } from '../../database/queries/lookups/downloads.js';
import type { Clock, FileStore } from '../../domain/ports/index.js';
import { startDownloadWorker } from '../../downloads/worker.js';

export interface DownloadParts {
  readonly database: Database;
  readonly files: FileStore;
  readonly signing: PreparedSigning;
  readonly chain: Chain;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
}

/** Returns the closer. */
export function startDownloads(config: Config, parts: DownloadParts): () => Promise<void> {
  const { chain, logger } = parts;
  if (config.downloadsMs === 0) return async () => {};
  const worker = startDownloadWorker({
    intervalMs: config.downloadsMs,
    records: new DownloadQueries(parts.database),
    files: parts.files,
    signer: parts.signing.signing.signer,
    clock: parts.clock,
    registry: config.baseUrl,
    filesUrl: config.cdnUrl,
    chain() {
      const chainId = chain.contract.chainId ?? config.chainId;
      return { ...(chainId !== undefined && { chainId }), contract: chain.contract.address };
    },
    log: (level, details, message) => logger[level](details, message),
  });
  return () => worker.close();
}
