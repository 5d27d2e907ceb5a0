// Traces requests from their first hook to the end of their response.

import type { FastifyInstance } from 'fastify';
import type { RequestSpan, RequestTracer } from '../monitoring/tracing.js';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | undefined;
  }
}

export function traceRequests(app: FastifyInstance, tracer: RequestTracer, untracedPaths: ReadonlySet<string>): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    if (untracedPaths.has(route)) return;
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
