// Routes of health, readiness, metrics and the OpenAPI document.

import { api, openApiDocument, RegistryError } from '@provenance-registry/core';
import { renderMetrics } from '../../monitoring/metrics.js';
import { type Readiness, ShownReasonError } from '../../monitoring/readiness.js';
import { BinaryResponse, type Router } from '../router.js';

/** It changes with a new version of the service only. */
const DOCUMENT_CACHE_CONTROL = 'public, max-age=300';
/** Answered whatever else the service does. */
const probe = { takesNoTurn: true };

interface HealthOptions {
  readonly readiness: Readiness;
  readonly stopping?: AbortSignal;
  readonly baseUrl: string;
  readonly version: string;
}

export function healthRoutes(route: Router, options: HealthOptions): void {
  let document: Buffer | undefined;
  route(api.getHealth, () => ({ status: 'ok' as const }), probe);
  route(api.getReadiness, () => describeReadiness(options, ['reads']), probe);
  route(api.getWriteReadiness, () => describeReadiness(options, ['reads', 'writes']), probe);
  route(api.getMetrics, renderMetrics);
  route(api.getOpenApi, () => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(options.baseUrl, options.version)));
    return new BinaryResponse('application/json; charset=utf-8', document, { 'cache-control': DOCUMENT_CACHE_CONTROL });
  });
}

async function describeReadiness({ readiness, stopping }: HealthOptions, required: readonly string[]) {
  if (stopping?.aborted) throw new RegistryError('UNAVAILABLE', 'Not ready: the service is stopping.');
  const results = await readiness();
  const unavailable = results.filter(({ reason }) => reason !== undefined);
  const missing = unavailable.filter(({ requiredFor }) => required.includes(requiredFor));
  if (missing.length > 0) {
    // The reasons go to the log only.
    const cause = new AggregateError(missing.map(({ reason }) => reason));
    const names = missing.map(({ name, reason }) => describeMissing(name, reason)).join(', ');
    throw new RegistryError('UNAVAILABLE', `Not ready: ${names}.`, { cause });
  }
  const states = results.map(({ name, reason }) => [name, describeState(reason)]);
  return { status: 'ready' as const, checks: Object.fromEntries(states) };
}

function describeMissing(name: string, reason: unknown): string {
  return reason instanceof ShownReasonError ? `${name} (${reason.message})` : name;
}

function describeState(reason: unknown): string {
  if (reason === undefined) return 'ok';
  return reason instanceof ShownReasonError ? reason.message : 'unavailable';
}
