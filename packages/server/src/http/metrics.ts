// What is counted and timed, in the Prometheus format.

import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  render(): Promise<string>;
}

export function measureRequests(app: FastifyInstance): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that are being answered.',
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  app.addHook('onRequest', async () => inFlight.inc());
  app.addHook('onResponse', async (request, reply) => {
    inFlight.dec();
    // The route's pattern, not the address: the number of series must not grow with what people ask for.
    const route = request.routeOptions.url ?? 'unknown';
    const method = request.is404 ? 'any' : request.method;
    duration.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  return { render: () => registry.metrics() };
}
