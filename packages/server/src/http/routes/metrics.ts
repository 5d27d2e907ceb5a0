// What is counted and timed, in the Prometheus format.

import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ChainHealth } from '../../domain/ports/index.js';

export interface Metrics {
  render(): Promise<string>;
}

export function measure(app: FastifyInstance, chainHealth: () => Promise<ChainHealth>): Metrics {
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
  app.addHook('onRequest', async (_request, reply) => {
    inFlight.inc();
    // Not in the hook below, which is passed only by answers that were sent: a client may go away before.
    reply.raw.once('close', () => inFlight.dec());
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern, not the address: the number of series must not grow with what people ask for.
    const route = request.routeOptions.url ?? 'unknown';
    const method = request.is404 ? 'any' : request.method;
    duration.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const refreshChain = chainGauges(registry, chainHealth);
  return {
    async render() {
      await refreshChain();
      return registry.metrics();
    },
  };
}

/** What cannot be found out stays as it was. */
function chainGauges(registry: Registry, health: () => Promise<ChainHealth>): () => Promise<void> {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const pending = gauge('chain_pending_artifacts', 'Artifacts that are not on chain yet.');
  const oldest = gauge('chain_oldest_pending_seconds', 'How long the oldest of them has been waiting.');
  const gas = gauge('chain_gas_per_registration', 'Gas that a registration took, on average, since the start.');
  const makeBalance = () => gauge('chain_balance_ether', 'What the writing key has left.');
  let balance: Gauge | undefined;
  const low = gauge('chain_balance_low', '1 when that will not last for long.');
  const transactions = new Gauge({
    name: 'chain_transactions',
    help: 'Transactions since the start, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return async () => {
    const now = await health().catch(() => undefined);
    if (!now) return;
    pending.set(now.backlog.pending);
    oldest.set(now.backlog.oldestPendingSeconds);
    gas.set(now.gasPerRegistration);
    // A gauge that has not been set says 0, which is something else than "not known".
    if (now.balance !== undefined) {
      balance ??= makeBalance();
      balance.set(Number(now.balance) / 1e18);
    }
    low.set(now.lowBalance ? 1 : 0);
    for (const [outcome, count] of Object.entries(now.transactions)) transactions.set({ outcome }, count);
  };
}
