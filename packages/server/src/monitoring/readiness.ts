// Readiness: exercises the parts that requests need. Whatever hangs, the result comes within two seconds.

/** `reads`: without it this process cannot answer anything. `writes`: only creations need it. `nothing`: only reported. */
type Requirement = 'reads' | 'writes' | 'nothing';

export interface ReadinessCheck {
  /** Read after each run. */
  readonly requiredFor: Requirement;
  /** Throws when the part is unavailable. */
  run(): Promise<unknown>;
  /** A check that starts something may take this long before its part counts as unavailable. */
  readonly startupMs?: number;
}

/** A reason that may be shown to everyone, in place of `unavailable`. */
export class ShownReasonError extends Error {
  override readonly name = 'ShownReasonError';
}

/** The checks by the name of their part. */
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>;

export interface CheckResult {
  readonly name: string;
  readonly requiredFor: Requirement;
  /** Why the part is unavailable; undefined when it is available. */
  readonly reason?: unknown;
}

/** All parts, in the order of the checks. Never throws. */
export type Readiness = () => Promise<CheckResult[]>;

/** Leaves half a second of the two in which readiness must answer. */
export const CHECK_TIMEOUT_MS = 1_500;

export function createReadiness(checks: ReadinessChecks): Readiness {
  const parts = Object.entries(checks).map(([name, check]) => ({ name, check, findReason: createProbe(check) }));
  return () =>
    Promise.all(
      parts.map(async ({ name, check, findReason }) => {
        const reason = await findReason();
        return { name, requiredFor: check.requiredFor, reason };
      }),
    );
}

/** The result says why the part is unavailable; undefined when it is available. */
function createProbe({ run, startupMs = 0 }: ReadinessCheck): () => Promise<unknown> {
  let runningSince = 0;
  let lastReason: unknown;
  async function runOnce(): Promise<void> {
    runningSince = performance.now();
    try {
      await run();
      lastReason = undefined;
    } catch (error) {
      lastReason = error ?? 'no reason';
    }
  }
  const runShared = shareRunning(runOnce, CHECK_TIMEOUT_MS);
  return async () => {
    try {
      await runShared();
      return lastReason;
    } catch (timeout) {
      return performance.now() - runningSince < startupMs ? lastReason : timeout;
    }
  };
}

/**
 * Rejects when the work takes longer. Until it has ended, further calls share its result: work that hangs neither piles
 * up nor delays them again.
 */
export function shareRunning<T>(work: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let shared: Promise<T> | undefined;
  function forget(): void {
    shared = undefined;
  }
  return () => {
    if (!shared) {
      const running = work();
      shared = withDeadline(running, timeoutMs);
      running.then(forget, forget);
    }
    return shared;
  };
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    // A response that arrived while the event loop was busy is processed before the immediate.
    timer = setTimeout(() => setImmediate(() => reject(new Error('no response in time'))), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
