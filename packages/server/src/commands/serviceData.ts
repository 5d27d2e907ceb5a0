// Opens the data of the service for the commands that compare its parts: database, published files and chain.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createManifestReader } from '../c2pa/reading/manifestReader.js';
import { openChainReader } from '../chain/chainReader.js';
import { chainSource, rethrowChainError } from '../composition/chain.js';
import { joinDatabase } from '../composition/database.js';
import { prepareConfiguredSigning } from '../composition/signing.js';
import { type Config, ConfigError } from '../config/config.js';
import { ChainOutboxQueries } from '../database/queries/artifacts/chainOutbox.js';
import { MirrorRowQueries } from '../database/queries/lookups/mirrorRows.js';
import { joinDiskStore } from '../files/disk.js';
import { openS3Store } from '../files/s3.js';
import type { CommandParts } from './command.js';

/** Counting all rows of an owner reads a whole index. */
const STATEMENT_MS = 600_000;

/** The service may run meanwhile, or be stopped. */
export async function openServiceData(config: Config, { closers, notify, fail }: CommandParts) {
  const clock = () => new Date();
  const { signing, trustAnchorsPem, issuer } = await prepareConfiguredSigning(config, clock);
  const reader = await createManifestReader(trustAnchorsPem, { issuer });
  closers.push(() => reader.close());
  const database = await joinDatabase(config, closers, { onLost: fail, notify, statementMs: STATEMENT_MS });
  const source = await chainSource(config, (error) => notify(`development chain: ${String(error)}`));
  const chain = await openChainReader(
    { source, queue: new ChainOutboxQueries(database) },
    new MirrorRowQueries(database),
  ).catch(rethrowChainError);
  closers.push(() => chain.close());
  const files = config.storage
    ? openS3Store(config.storage, config.storage.environment)
    : joinDiskStore(join(config.dataDir, 'public'));
  return { database, files, chain, reader, signing, clock };
}

/** A data folder without the service's files is the wrong folder: a command must not create them. */
export function requireServiceData({ dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls }: Config): void {
  const expected: [boolean, string][] = [
    [databaseUrl === undefined, 'postgresql'],
    [storage === undefined, 'public'],
    [rpcUrl === undefined, 'chain-admin-key'],
    [signing === undefined || timestampUrls.length === 0, 'keys'],
  ];
  const missing = expected.filter(([needed, name]) => needed && !existsSync(join(dataDir, name)));
  if (missing.length === 0) return;
  throw new ConfigError(missing.map(([, name]) => `DATA_DIR: ${dataDir} has no ${name}`));
}
