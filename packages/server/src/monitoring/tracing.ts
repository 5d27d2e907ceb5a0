// What traces need from their implementation, and the one that does nothing.

import type { ChainTracer, Tracer } from '../domain/ports/index.js';

export interface TracingOptions {
  /** Address of the collector; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** The part of requests that is traced. */
  readonly ratio: number;
  readonly version: string;
}

export interface RequestSpan {
  /** What runs in the callback, and what that starts, belongs to the span. */
  run(callback: () => void): void;
  end(response: { readonly route: string; readonly status: number }): void;
}

export interface RequestTracer {
  /** `parent`: the client's `traceparent` header. */
  startRequest(method: string, requestId: string, parent: string | undefined): RequestSpan;
}

export interface Tracing extends Tracer, ChainTracer {
  /** Undefined: requests are not traced. */
  readonly requests: RequestTracer | undefined;
  /** Sends what is left. */
  close(): Promise<void>;
}

export const noTracing: Tracing = {
  span: (_name, work) => work(),
  currentContext: () => undefined,
  recordStep: () => {},
  requests: undefined,
  close: async () => {},
};
