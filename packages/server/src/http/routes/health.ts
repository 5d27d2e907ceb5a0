// Health, readiness, metrics and the API's own description, over HTTP.

import { api, openApiDocument, RegistryError } from '@provenance-registry/core';
import type { Router } from '../route.js';
import type { Metrics } from './metrics.js';

/** Each part, and a function that throws when it cannot be reached. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessChecks {
  readonly needed: Checks;
  /** Told, and not waited for. */
  readonly reported: Checks;
}

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

async function checkReadiness({ needed, reported }: ReadinessChecks) {
  const [must, may] = await Promise.all([outcomesOf(needed), outcomesOf(reported)]);
  const missing = must.filter(({ reason }) => reason !== undefined);
  if (missing.length > 0) {
    // The reasons are for the log alone.
    const cause = new AggregateError(missing.map(({ reason }) => reason));
    const names = missing.map(({ name }) => name).join(', ');
    throw new RegistryError('UNAVAILABLE', `Not ready: ${names}.`, { cause });
  }
  const states = [...must, ...may].map(({ name, reason }) => [name, reason === undefined ? 'ok' : 'unavailable']);
  return { status: 'ready' as const, checks: Object.fromEntries(states) };
}

function outcomesOf(checks: Checks): Promise<{ name: string; reason?: unknown }[]> {
  return Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check().then(
        () => ({ name }),
        (reason: unknown) => ({ name, reason: reason ?? 'no reason' }),
      ),
    ),
  );
}
