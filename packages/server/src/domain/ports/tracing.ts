// Port for traces: which steps a request takes, up to its transaction on chain.

export interface Tracer {
  /** Runs the work as a named step of the current trace, if there is one. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** The current step as a W3C `traceparent`; undefined when nothing is traced. */
  currentContext(): string | undefined;
}

export interface ChainTracer {
  /** Adds a finished step to the trace of each of these registrations. */
  recordStep(name: 'chain submit' | 'chain confirm', step: ChainStep): void;
}

export interface ChainStep {
  readonly registrations: readonly { readonly traceContext: string | undefined }[];
  readonly startedAt: Date;
  readonly transactionHash: string;
}
