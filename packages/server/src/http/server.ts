// Builds the HTTP server: limits, request IDs, logs, errors and all routes.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type DidDocument, formats, RegistryError, type RegistryIdentity } from '@provenance-registry/core';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { authenticate } from '../domain/caller.js';
import type { Ports, ServedFiles } from '../domain/ports/index.js';
import { renderMetrics } from '../monitoring/metrics.js';
import type { Readiness } from '../monitoring/readiness.js';
import type { RequestTracer } from '../monitoring/tracing.js';
import { trackMethods } from './allowedMethods.js';
import { defaultLimits, type HttpLimits } from './budgets/limits.js';
import { MemoryBudget } from './budgets/memoryBudget.js';
import { createPasswordBudget } from './budgets/passwordBudget.js';
import { sendError, sendParserError, sendUnknownRoute, standardHeaders } from './errors.js';
import { acceptJsonOnly } from './json.js';
import { measureRequests } from './metrics.js';
import { badgeRoutes } from './page/badge.js';
import { docsRoutes } from './page/docs.js';
import { type PageOptions, pageRoutes } from './page/routes.js';
import { compressResponses } from './responses/compression.js';
import { addCorsHeaders, enableCors } from './responses/cors.js';
import { tagResponses } from './responses/etag.js';
import { createRouter } from './router.js';
import { accountRoutes } from './routes/accounts/accounts.js';
import { emailRoutes } from './routes/accounts/emails.js';
import { sessionRoutes } from './routes/accounts/sessions.js';
import { tierRoutes } from './routes/accounts/tiers.js';
import { artifactBatchRoutes } from './routes/artifacts/artifactBatch.js';
import { artifactRoutes } from './routes/artifacts/artifacts.js';
import { fileRoutes } from './routes/artifacts/files.js';
import { certificateRoutes } from './routes/artifacts/pdfCertificates.js';
import { type TimestampService, timestampRoutes } from './routes/artifacts/timestamps.js';
import { claimRoutes } from './routes/claims/claims.js';
import { eventRoutes } from './routes/events/events.js';
import { webhookRoutes } from './routes/events/webhooks.js';
import { healthRoutes } from './routes/health.js';
import { bulkLookupRoutes } from './routes/lookups/bulkLookups.js';
import { downloadRoutes } from './routes/lookups/downloads.js';
import { lookalikeRoutes } from './routes/lookups/lookalikes.js';
import { lookupRoutes } from './routes/lookups/lookups.js';
import { type RegistryContract, resolutionRoutes } from './routes/lookups/resolution.js';
import { identityRoutes } from './routes/marks/identity.js';
import { domainRoutes } from './routes/marks/markDomains.js';
import { markRoutes } from './routes/marks/marks.js';
import { apiKeyRoutes } from './routes/organizations/apiKeys.js';
import { invitationRoutes } from './routes/organizations/invitations.js';
import { organizationRoutes } from './routes/organizations/organizations.js';
import { referenceRoutes } from './routes/reference.js';
import { compileSchemasLazily } from './schemaCompilers.js';
import { traceRequests } from './tracing.js';
import { trackUploads } from './uploads/uploadsInProgress.js';

export interface HttpOptions {
  readonly ports: Ports;
  readonly readiness: Readiness;
  /** A worker serves only health and metrics. */
  readonly role: 'all' | 'api' | 'worker';
  /** Published files, if this server serves them itself. */
  readonly files?: ServedFiles;
  readonly chain: { readonly contract: RegistryContract };
  readonly identity: () => RegistryIdentity;
  readonly didDocument: DidDocument;
  readonly maxUploadBytes: number;
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
  readonly timestamps?: TimestampService | undefined;
  readonly limits?: HttpLimits;
  readonly page?: PageOptions;
}

/** A year, for this host only: the service knows nothing of its subdomains. Browsers ignore it over plain HTTP. */
const STRICT_TRANSPORT = 'max-age=31536000';

/** Polled every few seconds by monitoring: logged at debug level. */
const quietPaths = new Set(['/healthz', '/readyz', '/readyz/writes', '/metrics']);
/** A slower read is always logged: reads take milliseconds. */
const SLOW_READ_MS = 1_000;

const validatorOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  // Would warn on standard error about values of two types, and about files, which have none.
  strictTypes: false,
  // Our schemas are constants, which the tests of the OpenAPI document check: at each start, that took a fifth of its time.
  validateSchema: false,
  meta: false,
  // One error refuses a request; all of them would include the patterns of texts that are too long for them.
  allErrors: false,
  formats: Object.fromEntries(Object.entries(formats).map(([name, { validate }]) => [name, validate])),
};

export function buildServer(options: HttpOptions): FastifyInstance {
  const limits = options.limits ?? defaultLimits;
  const isSecure = new URL(options.baseUrl).protocol === 'https:';
  const transportHeaders = isSecure && { 'strict-transport-security': STRICT_TRANSPORT };
  /** A request whose body is given up loses its socket. */
  const sockets = new WeakMap<IncomingMessage, Socket>();
  const latestResponses = new WeakMap<Socket, ServerResponse>();

  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    bodyLimit: limits.jsonBodyBytes,
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
      // Node's own response would lack our error body; the first hook checks it instead.
      requireHostHeader: false,
    },
    frameworkErrors: (error, request, reply) => {
      addCorsHeaders(request, reply);
      reply.headers({ ...transportHeaders });
      return sendError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      // After a rejected request, the parser also rejects what follows it on the same socket.
      if (error.code === 'ECONNRESET' || !socket.writable) return;
      const response = latestResponses.get(socket);
      if (response?.headersSent && !response.writableFinished) {
        // A second response would end up inside the first.
        socket.destroy();
        return;
      }
      sendParserError(error, socket, createRequestId());
      socket.resume();
      setTimeout(() => socket.destroy(), limits.lingerMs).unref();
    },
  });
  compileSchemasLazily(app, validatorOptions);
  app.server.maxConnections = limits.connections;
  app.server.on('request', (request, response) => {
    latestResponses.set(request.socket, response);
    sockets.set(request, request.socket);
  });

  // By default, Node answers these two kinds of request without a body, or not at all.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => sendParserError({}, socket, createRequestId()));

  const listMethods = trackMethods(app);
  measureRequests(app);
  if (options.tracer) traceRequests(app, options.tracer, quietPaths);
  enableCors(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...standardHeaders(request.id), ...transportHeaders });
    const hosts = countHosts(request.raw);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion !== '1.0')) {
      throw new RegistryError('BAD_REQUEST', 'The request must have exactly one Host header.');
    }
    if (request.url.length > limits.uriBytes) {
      throw new RegistryError('URI_TOO_LONG', 'The URL is too long.');
    }
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (request, reply) => {
    if (closing) reply.header('connection', 'close');
    // Fastify closes the connection of a request that it did not read to its end; drainRequest reads the rest.
    else if (!request.raw.complete) reply.removeHeader('connection');
  });
  tagResponses(app);
  compressResponses(app);
  app.addHook('onResponse', async (request, reply) => {
    logRequest(request, reply, options.logReadsSample ?? 1);
    if (!request.raw.complete) drainRequest(request.raw, sockets.get(request.raw), limits.lingerMs);
  });
  app.setErrorHandler<RegistryError>(sendError);
  const memory = new MemoryBudget(limits.bodyMemoryBytes);
  acceptJsonOnly(app, limits.jsonBodyBytes, memory);

  const route = createRouter(app, {
    authenticate: (token, origin) => authenticate(options.ports, token, origin),
    operatorToken: options.operatorToken,
    afterWrite: ({ user }) => {
      options.ports.markListCache.invalidate(user.id);
      options.ports.eventOrder.wake();
    },
    baseUrl: options.baseUrl,
    limits,
    uploads: trackUploads(limits, memory),
  });
  healthRoutes(route, options.readiness, renderMetrics, options);
  if (options.role !== 'worker') {
    const spendPassword = createPasswordBudget();
    accountRoutes(route, options.ports, spendPassword);
    emailRoutes(route, options.ports, spendPassword);
    for (const routes of [
      sessionRoutes,
      webhookRoutes,
      organizationRoutes,
      invitationRoutes,
      markRoutes,
      domainRoutes,
      apiKeyRoutes,
      tierRoutes,
      lookupRoutes,
    ]) {
      routes(route, options.ports);
    }
    const { requestMs } = limits;
    const { maxUploadBytes } = options;
    artifactRoutes(route, options.ports, { maxUploadBytes, requestMs });
    artifactBatchRoutes(route, options.ports);
    certificateRoutes(route, options.ports);
    claimRoutes(route, options.ports, { requestMs });
    bulkLookupRoutes(route, options.ports, { requestMs });
    lookalikeRoutes(route, options.ports, { maxUploadBytes, requestMs });
    resolutionRoutes(route, options.ports, { contract: options.chain.contract, maxUploadBytes, requestMs });
    identityRoutes(app, options.identity, options.didDocument);
    if (options.timestamps) timestampRoutes(app, options.timestamps);
    if (options.files) fileRoutes(app, options.files, requestMs);
    downloadRoutes(app, options.ports);
    eventRoutes(app, route, options.ports, limits);
  }
  if (options.page && options.role !== 'worker') {
    pageRoutes(app, options.ports, options.page, listMethods);
    badgeRoutes(app, options.ports, options.page.folder);
    referenceRoutes(app, { ...options, folder: options.page.folder });
    docsRoutes(app, options.page.docsFolder, options.baseUrl);
  } else app.setNotFoundHandler((request, reply) => sendUnknownRoute(request, reply, listMethods(request.url)));
  return app;
}

function logRequest(request: FastifyRequest, reply: FastifyReply, readsSample: number): void {
  const { method, url, routeOptions } = request;
  const { statusCode: status, elapsedTime } = reply;
  const isQuickRead = (method === 'GET' || method === 'HEAD') && status < 400 && elapsedTime < SLOW_READ_MS;
  if (isQuickRead && Math.random() >= readsSample) return;
  const line = { method, path: url.split('?', 1)[0], status, ms: Math.round(elapsedTime) };
  if (quietPaths.has(routeOptions.url ?? '')) request.log.debug(line, 'request');
  else request.log.info(line, 'request');
}

/**
 * Reads the rest of a request that was answered early. A client that is still sending would otherwise see a connection
 * error instead of the response. The connection stays open if the rest arrives in time.
 */
function drainRequest(request: IncomingMessage, socket: Socket | undefined, lingerMs: number): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) socket?.destroy();
  }, lingerMs).unref();
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

/** The client's own ID if it is harmless, so that the logs of both sides can be matched. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : createRequestId();
}

/** 60 random bits identify a request in a log; a whole UUID would be a sixth of its line. */
function createRequestId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}
