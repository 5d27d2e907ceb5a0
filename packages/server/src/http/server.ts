// Builds the HTTP server: limits, request ids, logs, errors, and every route.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RegistryError } from '@provenance-registry/core';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { authenticate } from '../domain/caller.js';
import type { ChainHealth, FileStore, Ports } from '../domain/ports/index.js';
import { answerClientError, answerError, answerUnknownPath, standardHeaders } from './errors.js';
import { acceptJsonOnly } from './json.js';
import { defaultLimits, type HttpLimits } from './limits.js';
import { badgeRoutes } from './page/badge.js';
import { type PageOptions, webRoutes } from './page/routes.js';
import { createRouter } from './route.js';
import { accountRoutes } from './routes/accounts.js';
import { apiKeyRoutes, limitRoutes } from './routes/apiKeys.js';
import { artifactRoutes } from './routes/artifacts.js';
import { fileRoutes } from './routes/files.js';
import { operatingRoutes, type ReadinessChecks } from './routes/health.js';
import { markRoutes } from './routes/marks.js';
import { measure } from './routes/metrics.js';
import { organizationRoutes } from './routes/organizations.js';
import { referenceRoutes } from './routes/reference.js';
import { openToPages, type RegistryContract, resolutionRoutes, unreadable } from './routes/resolution.js';
import { type TimestampService, timestampRoutes } from './routes/timestamps.js';

export interface HttpOptions {
  readonly ports: Ports;
  readonly readiness: ReadinessChecks;
  /** A worker answers nothing but whether it is well. */
  readonly role: 'all' | 'api' | 'worker';
  /** Published files that this server serves itself; not given when they are served from elsewhere. */
  readonly files?: FileStore;
  readonly chain: {
    readonly contract: RegistryContract;
    health(): Promise<ChainHealth>;
  };
  readonly maxUploadBytes: number;
  readonly operatorToken: string | undefined;
  readonly baseUrl: string;
  readonly version: string;
  readonly logger: FastifyBaseLogger;
  /** The built-in time-stamp authority, where it is used. */
  readonly timestamps?: TimestampService | undefined;
  readonly limits?: HttpLimits;
  /** The page for people, where it is served. */
  readonly page?: PageOptions;
}

/** Asked every few seconds by machines: not worth a line in the log each time. */
const quietPaths = new Set(['/healthz', '/readyz', '/metrics']);

export function buildServer(options: HttpOptions): FastifyInstance {
  const limits = options.limits ?? defaultLimits;
  const answering = new WeakMap<Socket, ServerResponse>();

  const app: FastifyInstance = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    bodyLimit: limits.jsonBodyBytes,
    handlerTimeout: limits.operationMs,
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.idleMs,
    keepAliveTimeout: limits.keepAliveMs,
    // While it drains, the server still serves what has reached it.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkMs,
      // Node would refuse in a shape of its own; see the first hook.
      requireHostHeader: false,
    },
    // Without strictTypes: it complains on standard error about values of two types, and about files, which have none.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, strictTypes: false } },
    frameworkErrors: (error, request, reply) => answerError(unreadable(error, request, reply), request, reply),
    clientErrorHandler: (error, socket) => {
      // What follows a request that was refused is refused as well; it has been answered once.
      if (error.code === 'ECONNRESET' || !socket.writable) return;
      const answer = answering.get(socket);
      if (answer?.headersSent && !answer.writableFinished) {
        // An answer that is half sent cannot be followed by another.
        socket.destroy();
        return;
      }
      answerClientError(error, socket, randomUUID());
      socket.resume();
      setTimeout(() => socket.destroy(), limits.lingerMs).unref();
    },
  });
  app.server.maxConnections = limits.connections;
  app.server.on('request', (request, response) => answering.set(request.socket, response));

  // The two kinds of request that Node by itself would answer with nothing, or not at all.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => answerClientError({}, socket, randomUUID()));

  const metrics = measure(app, options.chain.health);
  openToPages(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(standardHeaders(request.id));
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0') {
      throw new RegistryError('BAD_REQUEST', 'The request does not say which host it is for.');
    }
    if (request.url.length > limits.uriBytes) {
      throw new RegistryError('URI_TOO_LONG', 'The address is longer than this server reads.');
    }
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (request, reply) => {
    if (closing) reply.header('connection', 'close');
    // Fastify would close at once when it gives up on a body; see drainRequest.
    else if (!request.raw.complete) reply.removeHeader('connection');
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, routeOptions } = request;
    const path = url.split('?', 1)[0];
    const line = { method, path, status: reply.statusCode, milliseconds: Math.round(reply.elapsedTime) };
    if (quietPaths.has(routeOptions.url ?? '')) request.log.debug(line, 'request');
    else request.log.info(line, 'request');
    if (!request.raw.complete) drainRequest(request.raw, limits.lingerMs);
  });
  app.setErrorHandler<RegistryError>(answerError);
  acceptJsonOnly(app);

  const route = createRouter(app, {
    authenticate: (token) => authenticate(options.ports, token),
    operatorToken: options.operatorToken,
    afterWrite: ({ user }) => options.ports.markListCache.invalidate(user.id),
  });
  operatingRoutes(route, options.readiness, metrics, options);
  if (options.role !== 'worker') {
    for (const routes of [accountRoutes, organizationRoutes, markRoutes, apiKeyRoutes, limitRoutes]) {
      routes(route, options.ports);
    }
    const { requestMs } = limits;
    const { maxUploadBytes } = options;
    artifactRoutes(route, options.ports, { maxUploadBytes, requestMs });
    resolutionRoutes(route, options.ports, { contract: options.chain.contract, maxUploadBytes, requestMs });
    referenceRoutes(app);
    if (options.timestamps) timestampRoutes(app, options.timestamps);
    if (options.files) fileRoutes(app, options.files);
  }
  if (options.page && options.role !== 'worker') {
    webRoutes(app, options.ports, options.page);
    badgeRoutes(app, options.ports, options.page.folder);
  } else app.setNotFoundHandler(answerUnknownPath);
  return app;
}

/**
 * A client that is answered before all of its request has arrived may still be sending: if its connection were closed
 * at once, it would see an error and not the answer. The connection goes on if the rest arrives soon.
 */
function drainRequest(request: IncomingMessage, lingerMs: number): void {
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, lingerMs).unref();
}

/** The caller's own id is kept when it is harmless, so that both sides' logs can be laid side by side. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
