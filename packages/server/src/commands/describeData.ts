// Where a service keeps its data, for the operator who starts it.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';

/** Where a started service keeps its data, as pairs of a name and a place. No place contains a password. */
export function describeData(config: Config): [name: string, place: string][] {
  const { dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls, secrets, identityKeyFile, documentKey } =
    config;
  const { logKeyFile, role } = config;
  const isDevelopmentChain = rpcUrl === undefined;
  /** Elsewhere than in the data folder when the service runs as root. */
  const databaseFolder = databaseUrl === undefined ? realpathSync(join(dataDir, 'postgresql')) : undefined;
  const isInside = databaseFolder?.startsWith(join(realpathSync(dataDir), '/')) === true;
  const hasKeys =
    isDevelopmentChain ||
    signing === undefined ||
    timestampUrls.length === 0 ||
    secrets.tokens === undefined ||
    identityKeyFile === undefined ||
    (logKeyFile === undefined && role !== 'api') ||
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

/** Describes the database without user and password. The host of a Unix socket is a parameter. */
function describeDatabase(databaseUrl: string): string {
  const { host, pathname, searchParams } = new URL(databaseUrl);
  return `${pathname.slice(1) || 'default database'} at ${host || searchParams.get('host') || 'the local server'}`;
}
