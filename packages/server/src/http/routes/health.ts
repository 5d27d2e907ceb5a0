// Routes of health, readiness, metrics and the OpenAPI document.

import { api, openApiDocument, RegistryError } from '@provenance-registry/core';
import type { Router } from '../router.js';

/** By name of the part; a check throws when the part is unavailable. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ReadinessChecks {
  readonly needed: Checks;
  /** Shown in the result, but not required. */
  readonly reported: Checks;
}

export function healthRoutes(
  route: Router,
  checks: ReadinessChecks,
  renderMetrics: () => Promise<string>,
  about: { readonly baseUrl: string; readonly version: string },
): void {
  const document = openApiDocument(about.baseUrl, about.version);
  route(api.getHealth, () => ({ status: 'ok' as const }));
  route(api.getReadiness, () => checkReadiness(checks));
  route(api.getMetrics, renderMetrics);
  route(api.getOpenApi, () => document);
}

async function checkReadiness({ needed, reported }: ReadinessChecks) {
  const [required, optional] = await Promise.all([runChecks(needed), runChecks(reported)]);
  const missing = required.filter(({ reason }) => reason !== undefined);
  if (missing.length > 0) {
    // The reasons go to the log only.
    const cause = new AggregateError(missing.map(({ reason }) => reason));
    const names = missing.map(({ name }) => name).join(', ');
    throw new RegistryError('UNAVAILABLE', `Not ready: ${names}.`, { cause });
  }
  const states = [...required, ...optional].map(({ name, reason }) => [
    name,
    reason === undefined ? 'ok' : 'unavailable',
  ]);
  return { status: 'ready' as const, checks: Object.fromEntries(states) };
}

function runChecks(checks: Checks): Promise<{ name: string; reason?: unknown }[]> {
  return Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check().then(
        () => ({ name }),
        (reason: unknown) => ({ name, reason: reason ?? 'no reason' }),
      ),
    ),
  );
}
