// Traces with OpenTelemetry, sent to a collector by OTLP over HTTP. Spans have no names, addresses, tokens or paths of users.

import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Tracing, TracingOptions } from './tracing.js';

/** A collector that does not respond must not delay the end of the process. */
const EXPORT_TIMEOUT_MS = 2_000;
/** A full batch of registrations. */
const MAX_LINKS = 200;

export function createTracing({ endpoint, serviceName, ratio, version }: TracingOptions): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    // The ratio counts for traces that clients start as well: they must not decide how much is sent.
    sampler: new ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanLimits: { linkCountLimit: MAX_LINKS },
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  });
  const tracer = provider.getTracer(serviceName, version);

  async function span<T>(name: string, work: () => Promise<T>): Promise<T> {
    // Work that belongs to no request, such as a readiness check, is not traced.
    if (!trace.getActiveSpan()) return work();
    const step = tracer.startSpan(name);
    try {
      return await context.with(trace.setSpan(context.active(), step), work);
    } catch (error) {
      // Without the message, which may contain data of users.
      step.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      step.end();
    }
  }

  return {
    span,
    currentContext() {
      const current = trace.getActiveSpan()?.spanContext();
      return current && isSampled(current) ? formatTraceparent(current) : undefined;
    },
    recordStep(name, { registrations, startedAt, transactionHash }) {
      const parents = registrations.flatMap(({ traceContext }) => parseTraceparent(traceContext) ?? []);
      const attributes = {
        'provenance.transaction_hash': transactionHash,
        'provenance.registrations': registrations.length,
      };
      const startTime = startedAt;
      for (const parent of parents) {
        tracer.startSpan(name, { startTime, attributes }, trace.setSpanContext(ROOT_CONTEXT, parent)).end();
      }
      if (parents.length < 2) return;
      const links = parents.map((parent) => ({ context: parent }));
      tracer.startSpan(`${name} batch`, { root: true, startTime, attributes, links }).end();
    },
    requests: {
      startRequest(method, requestId, traceparent) {
        const parent = parseTraceparent(traceparent);
        const parentContext = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
        const attributes = { 'http.request.method': method, 'provenance.request_id': requestId };
        const request = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parentContext);
        const requestContext: Context = trace.setSpan(parentContext, request);
        return {
          run: (callback) => context.with(requestContext, callback),
          end: ({ route, status }) => endRequest(request, method, route, status),
        };
      },
    },
    close: () => provider.shutdown().catch(() => {}),
  };
}

function endRequest(request: Span, method: string, route: string, status: number): void {
  request.updateName(`${method} ${route}`);
  request.setAttributes({ 'http.route': route, 'http.response.status_code': status });
  if (status >= 500) request.setStatus({ code: SpanStatusCode.ERROR });
  request.end();
}

const SAMPLED_FLAG = 1;

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & SAMPLED_FLAG) === SAMPLED_FLAG;
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** W3C Trace Context, version 00. Undefined when it is missing or not valid. */
function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
