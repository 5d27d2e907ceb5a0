// Prometheus metrics of requests and of the chain.

import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ChainHealth } from '../domain/ports/index.js';

/** Returns a function that renders them. */
export function collectMetrics(app: FastifyInstance, chainHealth: () => Promise<ChainHealth>): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests in progress.', registers: [registry] });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  app.addHook('onRequest', async (_request, reply) => {
    inFlight.inc();
    // The hook below does not run when the client disconnects before the response is sent.
    reply.raw.once('close', () => inFlight.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern, not the URL: clients must not be able to add series.
    const route = request.routeOptions.url ?? 'unknown';
    const method = request.is404 ? 'any' : request.method;
    duration.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const refreshChain = createChainGauges(registry, chainHealth);
  return async () => {
    await refreshChain();
    return registry.metrics();
  };
}

/** Returns a function that updates the gauges. When the chain's health is unavailable, they keep their values. */
function createChainGauges(registry: Registry, health: () => Promise<ChainHealth>): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const pending = gauge('chain_pending_artifacts', 'Artifacts that are not on chain yet.');
  const oldest = gauge('chain_oldest_pending_seconds', 'Age of the oldest of them.');
  const gas = gauge('chain_gas_per_registration', 'Average gas per registration since the start.');
  let balance: Gauge | undefined;
  const low = gauge('chain_balance_low', '1 when the balance will soon be used up.');
  const transactions = new Gauge({
    name: 'chain_transactions',
    help: 'Transactions since the start, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return async () => {
    const now = await health().catch(() => undefined);
    if (!now) return;
    pending.set(now.backlog.pending);
    oldest.set(now.backlog.oldestPendingSeconds);
    gas.set(now.gasPerRegistration);
    // A gauge that is not set reports 0, which would be wrong for an unknown balance.
    if (now.balance !== undefined) {
      balance ??= gauge('chain_balance_ether', 'Balance of the writing key.');
      balance.set(Number(now.balance) / 1e18);
    }
    low.set(now.lowBalance ? 1 : 0);
    for (const [outcome, count] of Object.entries(now.transactions)) transactions.set({ outcome }, count);
  };
}
