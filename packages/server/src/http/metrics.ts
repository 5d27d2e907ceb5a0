// Counts and times requests.

import type { FastifyInstance } from 'fastify';
import { requestDuration, requestsInFlight } from '../monitoring/metrics.js';

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
    requestDuration.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
}
