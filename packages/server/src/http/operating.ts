// Health, readiness, metrics and the API's own description, over HTTP.

import { api, openApiDocument, RegistryError } from '@provenance-registry/core';
import type { Metrics } from './metrics.js';
import type { Router } from './route.js';

/** Each part that requests need, and a function that throws when it cannot be reached. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<void>>>;

export function operatingRoutes(
  route: Router,
  checks: ReadinessChecks,
  metrics: Metrics,
  about: { readonly baseUrl: string; readonly version: string },
): void {
  const document = openApiDocument(about.baseUrl, about.version);
  route(api.getHealth, () => ({ status: 'ok' as const }));
  route(api.getReadiness, () => checkReadiness(checks));
  route(api.getMetrics, () => metrics.render());
  route(api.getOpenApi, () => document);
}

async function checkReadiness(checks: ReadinessChecks) {
  const names = Object.keys(checks);
  const outcomes = await Promise.allSettled(Object.values(checks).map((check) => check()));
  const missing = names.filter((_, index) => outcomes[index]?.status === 'rejected');
  if (missing.length > 0) {
    // The reasons are for the log alone.
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    throw new RegistryError('UNAVAILABLE', `Not ready: ${missing.join(', ')}.`, { cause: new AggregateError(reasons) });
  }
  return { status: 'ready' as const, checks: Object.fromEntries(names.map((name) => [name, 'ok'])) };
}
