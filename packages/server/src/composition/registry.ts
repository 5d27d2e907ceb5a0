// The composition root: opens the service from the configuration, and closes it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RegistryIdentity } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import { readPoolUse } from '../database/connection.js';
import { MailQueries } from '../database/queries/accounts/mails.js';
import { WebhookQueueQueries } from '../database/queries/events/webhookQueue.js';
import { LogSequenceQueries } from '../database/queries/log/logSequence.js';
import { MarkDomainQueries } from '../database/queries/marks/markDomains.js';
import { readWalArchive } from '../database/walArchive.js';
import { readDiskSpace } from '../files/disk.js';
import { buildServer, type HttpOptions } from '../http/server.js';
import { buildOrClose, CloserStack } from '../jobs/closers.js';
import { collectStates } from '../monitoring/states.js';
import { packageFolder, readVersion } from '../paths.js';
import { startSweeper } from './background/sweeper.js';
import type { Host } from './host.js';
import { openParts, type RegistryParts } from './parts.js';
import { describeDocumentRoots } from './pdfCertificates.js';

/** Most of the ten seconds that a stop may take; after it, connections with unfinished requests are cut. */
const CUT_OFF_MS = 6_000;

/** Built together with the service: inside the packed package, or beside this one. */
const packedPages = new URL('web/', packageFolder);
const webFolder = existsSync(packedPages) ? packedPages : new URL('../web/dist/', packageFolder);
const pageFolder = fileURLToPath(new URL('page', webFolder));
const docsFolder = fileURLToPath(new URL('docs', webFolder));

export interface Registry {
  /** Undefined with RPC_URL. */
  readonly developmentChain: { readonly url: string; readonly contract: string } | undefined;
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
    closers.push(startSweeper(parts.ports, host.logger, config));
    closers.push(
      collectStates({
        about: { version: readVersion(), role: config.role },
        readiness: parts.readiness,
        databasePool: () => readPoolUse(parts.database),
        chain: parts.chain,
        readMirror: () => parts.ports.store.chainMirror.readProgress(),
        readMailBacklog: config.mail && (() => new MailQueries(parts.database).readBacklog()),
        readDomainBacklog: () => new MarkDomainQueries(parts.database).readBacklog(),
        readFeedBacklog: () => parts.ports.store.feed.readBacklog(),
        readLogBacklog: () => new LogSequenceQueries(parts.database).readBacklog(),
        readWebhookBacklog: () => new WebhookQueueQueries(parts.database).readBacklog(parts.ports.clock()),
        readWalArchive: () => readWalArchive(parts.database),
        readFileSpace: config.storage ? undefined : () => readDiskSpace(join(config.dataDir, 'public')),
        certificateExpiresAt: parts.signing.certificate.expiresAt,
      }),
    );
    const stopping = new AbortController();
    const server = buildServer({
      ...httpOptions(config, host, parts),
      stopping: stopping.signal,
      page: { folder: pageFolder, docsFolder, origins: pageOrigins(config, parts.chain) },
    });
    closers.push(() => {
      stopping.abort();
      return drain(server, config.drainMs, host.stop?.hurried);
    });
    return {
      developmentChain: describeDevelopmentChain(config, parts),
      listen: () => buildOrClose(closers, () => listen(server, config)),
      close: () => closers.close(),
    };
  };
  return buildOrClose(closers, build, host.stop?.requested);
}

function describeDevelopmentChain({ rpcUrl }: Config, { chain }: RegistryParts): Registry['developmentChain'] {
  const { rpcUrl: url, address: contract } = chain.contract;
  return rpcUrl === undefined && url !== undefined ? { url, contract } : undefined;
}

/** The HTTP layer over these parts, without the web pages. */
export function httpOptions(config: Config, { logger }: Host, parts: RegistryParts): HttpOptions {
  const { ports, signing, chain, readiness } = parts;
  return {
    ports,
    readiness,
    requireWritable: parts.databaseClock.requireRightTime,
    chain,
    maxUploadBytes: config.maxUploadBytes,
    files: parts.servedFiles,
    logFiles: parts.publicLog.files,
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
  const { chain, signing, documentSigner, publicLog, createdAt } = parts;
  const log = publicLog.identity();
  const chainId = chain.contract.chainId ?? config.chainId;
  return {
    name: config.registryName,
    url: config.baseUrl,
    ...(chainId !== undefined && { chainId }),
    contract: chain.contract.address,
    ...signing.publishedRoots,
    ...(config.explorerUrl !== undefined && { explorerUrl: config.explorerUrl }),
    documentRoots: describeDocumentRoots(documentSigner),
    ...(log && { log }),
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

/**
 * Lets load balancers see that the service stops, and connections end with their next response, before it closes the port:
 * a request would find it closed otherwise, or an idle connection that is just being closed.
 */
async function drain(server: FastifyInstance, drainMs: number, hurried: AbortSignal | undefined): Promise<void> {
  const cutOff = () => server.server.closeAllConnections();
  const timer = setTimeout(cutOff, CUT_OFF_MS);
  hurried?.addEventListener('abort', cutOff);
  // Ends with an AbortError when it is hurried.
  if (drainMs > 0) await pause(drainMs, undefined, hurried && { signal: hurried }).catch(() => {});
  await server.close();
  clearTimeout(timer);
}
