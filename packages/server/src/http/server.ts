// Builds the HTTP server: limits, request IDs, logs, errors and all routes.

import type { IncomingMessage } from 'node:http';
import { RegistryError } from '@provenance-registry/core';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { authenticate } from '../domain/caller.js';
import type { Readiness } from '../monitoring/readiness.js';
import type { RequestTracer } from '../monitoring/tracing.js';
import { trackMethods } from './allowedMethods.js';
import { beginInTurns } from './budgets/arrivals.js';
import { defaultLimits, type HttpLimits } from './budgets/limits.js';
import { MemoryBudget } from './budgets/memoryBudget.js';
import { Connections } from './connections.js';
import { sendError, sendUnknownRoute, standardHeaders } from './errors.js';
import { badgeRoutes } from './page/badge.js';
import { docsRoutes } from './page/docs.js';
import { referenceRoutes } from './page/reference.js';
import { type PageOptions, pageRoutes } from './page/routes.js';
import { stopMailRoutes } from './page/stopMail.js';
import { acceptJsonOnly } from './parsing/json.js';
import { compileSchemasLazily } from './parsing/schemaCompilers.js';
import { logRequests, measureRequests, requestIdOf, traceRequests } from './requestMonitoring.js';
import { compressResponses } from './responses/compression.js';
import { addCorsHeaders, enableCors } from './responses/cors.js';
import { tagResponses } from './responses/etag.js';
import { createRouter } from './router.js';
import { healthRoutes } from './routes/health.js';
import { type ApiOptions, apiRoutes } from './routes/index.js';
import { trackUploads } from './uploads/uploadsInProgress.js';

export interface HttpOptions extends ApiOptions {
  readonly readiness: Readiness;
  /** Aborts when the service begins to stop: it is not ready any more, and connections end with their next response. */
  readonly stopping?: AbortSignal;
  /** Throws while this process should change nothing. */
  readonly requireWritable: () => Promise<void>;
  /** A worker serves only health and metrics. */
  readonly role: 'all' | 'api' | 'worker';
  readonly operatorToken: string | undefined;
  /** Reverse proxies whose X-Forwarded-For is believed; none by default. */
  readonly trustedProxies?: readonly string[];
  readonly baseUrl: string;
  readonly version: string;
  readonly logger: FastifyBaseLogger;
  /** The part of successful reads that is logged; all by default. */
  readonly logReadsSample?: number;
  /** Undefined: requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
  readonly limits?: HttpLimits;
  readonly page?: PageOptions;
}

/** A year, for this host only: the service knows nothing of its subdomains. Browsers ignore it over plain HTTP. */
const STRICT_TRANSPORT = 'max-age=31536000';

export function buildServer(options: HttpOptions): FastifyInstance {
  const { limits = defaultLimits, role, page } = options;
  const connections = new Connections(limits.lingerMs, options.stopping);
  const app = createApp(options, limits, connections);
  compileSchemasLazily(app);
  const listMethods = trackMethods(app);
  // Hooks run in the order in which they are added.
  measureRequests(app);
  if (options.tracer) traceRequests(app, options.tracer);
  enableCors(app);
  beginInTurns(app);
  checkRequests(app, limits, transportHeaders(options));
  connections.manage(app);
  tagResponses(app);
  compressResponses(app);
  logRequests(app, options.logReadsSample ?? 1);
  const memory = new MemoryBudget(limits.bodyMemoryBytes);
  acceptJsonOnly(app, memory);

  const route = createRouter(app, {
    authenticate: (token, origin) => authenticate(options.ports, token, origin),
    operatorToken: options.operatorToken,
    requireWritable: options.requireWritable,
    afterWrite: (caller) => {
      if (caller) options.ports.markListCache.invalidate(caller.user.id);
      options.ports.work.announce();
    },
    baseUrl: options.baseUrl,
    limits,
    uploads: trackUploads(limits, memory),
    memory,
  });
  healthRoutes(route, options);
  if (role !== 'worker') {
    apiRoutes(app, route, options, limits);
    stopMailRoutes(app, options.ports);
  }
  if (page && role !== 'worker') {
    pageRoutes(app, options.ports, page, listMethods);
    badgeRoutes(app, options.ports, page.folder);
    referenceRoutes(app, page.folder, options.baseUrl);
    docsRoutes(app, page.docsFolder, options.baseUrl);
  } else app.setNotFoundHandler((request, reply) => sendUnknownRoute(request, reply, listMethods(request.url)));
  return app;
}

function createApp(options: HttpOptions, limits: HttpLimits, connections: Connections): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    handlerTimeout: limits.operationMs,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Requests that have arrived are still served while the server closes.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // Node's own response would lack our error body; `checkRequests` does it instead.
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => {
      addCorsHeaders(request, reply);
      reply.headers(transportHeaders(options));
      return sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => connections.rejectUnparsed(error, socket),
  });
  app.server.maxConnections = limits.connections;
  app.setErrorHandler<RegistryError>(sendError);
  return app;
}

function transportHeaders({ baseUrl }: HttpOptions): Record<string, string> {
  return new URL(baseUrl).protocol === 'https:' ? { 'strict-transport-security': STRICT_TRANSPORT } : {};
}

function checkRequests(app: FastifyInstance, { uriBytes }: HttpLimits, headers: Record<string, string>): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...standardHeaders(request.id), ...headers });
    const hosts = countHosts(request.raw);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== '1.0')) {
      throw new RegistryError('BAD_REQUEST', 'The request must have exactly one Host header.');
    }
    if (request.url.length > uriBytes) throw new RegistryError('URI_TOO_LONG', 'The URL is too long.');
  });
}

/** Proxies and servers could each choose another one of several; Node drops all but the first. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
