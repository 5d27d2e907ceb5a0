// Repeats requests after an outage. If a single request fails, its file fails. If the whole service is unreachable, all
// requests wait until it is back, and no file fails.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import type { StopController } from './stopController.js';

export interface OutageRetryOptions {
  readonly stopController: StopController;
  /** Whether the service responds to anything; the client retries several times before it gives up. */
  readonly isReachable: (signal: AbortSignal) => Promise<boolean>;
  readonly notify: (message: string) => void;
  readonly maxOutageMs?: number;
}

/** Sends a request, and sends it again after an outage. */
export type OutageRetry = <T>(request: () => Promise<T>) => Promise<T>;

/** Long enough for a restart or an upgrade. */
const MAX_OUTAGE_MS = 15 * 60_000;
/** Between two probes, in addition to the client's own delays. */
const PROBE_INTERVAL_MS = 1000;
/** A reachable service that fails this many requests in a row will fail the rest as well. */
const MAX_CONSECUTIVE_FAILURES = 20;

export function createOutageRetry(options: OutageRetryOptions): OutageRetry {
  const { stopController, isReachable, notify, maxOutageMs = MAX_OUTAGE_MS } = options;
  const { signal } = stopController;
  let consecutiveFailures = 0;
  /** All failed requests share one probe. Resolves to whether there was an outage, which is over then. */
  let pendingProbe: Promise<boolean> | undefined;

  async function waitOutOutage(): Promise<boolean> {
    if (await isReachable(signal)) return false;
    const deadline = performance.now() + maxOutageMs;
    notify('The service is not responding. Waiting until it is available again; no progress is lost.');
    do {
      await delay(PROBE_INTERVAL_MS);
      if (performance.now() > deadline) {
        const message = `The service has not responded for ${Math.round(maxOutageMs / 60_000)} minutes.`;
        stopController.stop({ code: 'UNREACHABLE', message, exitCode: 3 });
      }
      signal.throwIfAborted();
    } while (!(await isReachable(signal)));
    notify('The service is available again.');
    return true;
  }

  function probeService(): Promise<boolean> {
    pendingProbe ??= waitOutOutage().finally(() => {
      pendingProbe = undefined;
    });
    return pendingProbe;
  }

  function countFailure(error: Error): void {
    consecutiveFailures += 1;
    if (consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return;
    const message = `${consecutiveFailures} requests in a row have failed. Last error: ${error.message}`;
    stopController.stop({ code: 'UNREACHABLE', message, exitCode: 3 });
  }

  /** Returns only if the request failed because of an outage that is over. */
  async function waitAfterFailure(error: unknown): Promise<void> {
    const isUnreachable = error instanceof ServiceUnreachableError;
    if (!isUnreachable && !(error instanceof InvalidResponseError)) throw error;
    signal.throwIfAborted();
    if (isUnreachable && (await probeService())) return;
    countFailure(error);
    throw error;
  }

  return async (request) => {
    for (;;) {
      // Send nothing while another request's failure is being probed.
      await pendingProbe;
      signal.throwIfAborted();
      try {
        const response = await request();
        consecutiveFailures = 0;
        return response;
      } catch (error) {
        await waitAfterFailure(error);
      }
    }
  };
}
