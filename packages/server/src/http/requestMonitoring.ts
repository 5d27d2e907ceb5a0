// Counts, times, traces and logs requests.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { requestDuration, requests, requestsInFlight } from '../monitoring/metrics.js';
import type { RequestSpan, RequestTracer } from '../monitoring/tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | undefined;
  }
}

/** Paths that monitoring polls every few seconds: logged at debug level, and not traced. */
const quietPaths = new Set(['/healthz', '/readyz', '/readyz/writes', '/metrics']);
/** A slower read is always logged: reads take milliseconds. */
const SLOW_READ_MS = 1_000;

export function measureRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => {
    requestsInFlight.inc();
    // The hook below does not run when the client disconnects before the response is sent.
    reply.raw.once('close', () => requestsInFlight.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern, not the URL: clients must not be able to add series.
    const route = request.routeOptions.url ?? 'unknown';
    const method = request.is404 ? 'any' : request.method;
    requests.inc({ method, route, status: reply.statusCode });
    requestDuration.observe({ method, route }, reply.elapsedTime / 1000);
  });
}

/** Traces requests from their first hook to the end of their response. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    if (quietPaths.has(route)) return;
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' ? traceparent : undefined;
    const span = tracer.startRequest(request.is404 ? 'any' : request.method, request.id, parent);
    request.span = span;
    // Also when the client disconnects before the response.
    reply.raw.once('close', () => span.end({ route, status: reply.statusCode }));
  });
  // After the body has been read: the events of its stream would lose the context.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.span) request.span.run(done);
    else done();
  });
}

/**
 * Logs the route's pattern, never the path: fingerprints, names of files that clients look up, and tokens in links do not
 * belong into a log.
 *
 * @param readsSample the part of quick, successful reads that is logged
 */
export function logRequests(app: FastifyInstance, readsSample: number): void {
  app.addHook('onResponse', async ({ method, routeOptions, log }, { statusCode: status, elapsedTime }) => {
    const route = routeOptions.url ?? 'unknown';
    const isQuickRead = (method === 'GET' || method === 'HEAD') && status < 400 && elapsedTime < SLOW_READ_MS;
    if (isQuickRead && Math.random() >= readsSample) return;
    const line = { method, route, status, ms: Math.round(elapsedTime) };
    log[quietPaths.has(route) ? 'debug' : 'info'](line, 'request');
  });
}

/** The client's own ID if it is harmless, so that the logs of both sides can be matched. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : createRequestId();
}

/** 60 random bits identify a request in a log; a whole UUID would be a sixth of its line. */
export function createRequestId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}
