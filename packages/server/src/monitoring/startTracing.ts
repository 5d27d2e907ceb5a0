// Starts traces, if a collector is configured. OpenTelemetry is loaded only then.

import { noTracing, type Tracing, type TracingOptions } from './tracing.js';

export async function startTracing(options: TracingOptions | undefined): Promise<Tracing> {
  if (!options) return noTracing;
  const { createTracing } = await import('./openTelemetry.js');
  return createTracing(options);
}
