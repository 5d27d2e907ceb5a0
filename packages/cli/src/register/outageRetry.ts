// Repeats requests that failed. After each failure, the service is probed: if it does not respond either, all requests
// wait until it is back, and no file fails, however often it goes away. A request that keeps failing while the service
// responds fails its file.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import type { StopController } from './stopController.js';

export interface OutageRetryOptions {
  readonly stopController: StopController;
  /** Whether the service is ready, by a single request. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
  readonly notify: (message: string) => void;
  /** Called before a request is repeated although the service is ready. */
  readonly onRetry: (message: string) => void;
  readonly maxOutageMs?: number;
  /** Replaced in tests. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Sends a request that the client itself does not repeat, until it succeeds or is hopeless. */
export type OutageRetry = <T>(request: () => Promise<T>) => Promise<T>;

/** Long enough for a restart or an upgrade. */
const MAX_OUTAGE_MS = 15 * 60_000;
const PROBE_INTERVAL_MS = 1000;
/** Delays as in the SDK: 1, 2, 4 and 8 seconds between the attempts, reduced by up to half. */
const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1000;
/** A ready service that fails this many files in a row will fail the rest as well. */
const MAX_CONSECUTIVE_FAILURES = 20;

export function createOutageRetry(options: OutageRetryOptions): OutageRetry {
  const { stopController, isReady, notify, onRetry } = options;
  const { signal } = stopController;
  const { maxOutageMs = MAX_OUTAGE_MS, sleep = (ms) => delay(ms, undefined, { signal }) } = options;
  let consecutiveFailures = 0;
  /** All failed requests share one probe. Resolves to whether there was an outage, which is over then. */
  let pendingProbe: Promise<boolean> | undefined;

  async function waitOutOutage(error: Error): Promise<boolean> {
    if (await isReady(signal)) return false;
    const deadline = performance.now() + maxOutageMs;
    notify(`The service is not available: ${error.message} Waiting for it; no progress is lost.`);
    do {
      await sleepUntilStop(PROBE_INTERVAL_MS);
      if (performance.now() > deadline) {
        const minutes = Math.round(maxOutageMs / 60_000);
        const message = minutes > 0 ? `The service has not been available for ${minutes} minutes.` : error.message;
        stopController.stop({ code: 'UNREACHABLE', message, exitCode: 3 });
      }
      signal.throwIfAborted();
    } while (!(await isReady(signal)));
    notify('The service is available again.');
    return true;
  }

  function probeService(error: Error): Promise<boolean> {
    pendingProbe ??= waitOutOutage(error).finally(() => {
      pendingProbe = undefined;
    });
    return pendingProbe;
  }

  function failFile(error: Error): never {
    consecutiveFailures += 1;
    if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) {
      const message = `${consecutiveFailures} files in a row have failed. Last error: ${error.message}`;
      stopController.stop({ code: 'UNREACHABLE', message, exitCode: 3 });
    }
    throw error;
  }

  async function waitBeforeRetry({ message, retryAfterMs }: ServiceUnreachableError, failures: number): Promise<void> {
    const fullDelayMs = FIRST_DELAY_MS * 2 ** (failures - 1);
    onRetry(message);
    await sleepUntilStop(Math.max((fullDelayMs * (1 + Math.random())) / 2, retryAfterMs));
  }

  /** Rejects with the signal's reason when the run stops. */
  async function sleepUntilStop(ms: number): Promise<void> {
    await sleep(ms).catch(() => signal.throwIfAborted());
  }

  /** Returns the number of failures without an outage so far; throws when there is no point in another attempt. */
  async function recover(error: unknown, failures: number): Promise<number> {
    const isUnreachable = error instanceof ServiceUnreachableError;
    if (!isUnreachable && !(error instanceof InvalidResponseError)) throw error;
    signal.throwIfAborted();
    if (await probeService(error)) return 0;
    // An invalid response of a service that is ready would be the same again.
    if (!isUnreachable || failures + 1 === MAX_ATTEMPTS) failFile(error);
    await waitBeforeRetry(error, failures + 1);
    return failures + 1;
  }

  return async (request) => {
    let failures = 0;
    for (;;) {
      // Send nothing while the service is being probed.
      await pendingProbe;
      signal.throwIfAborted();
      try {
        const response = await request();
        consecutiveFailures = 0;
        return response;
      } catch (error) {
        failures = await recover(error, failures);
      }
    }
  };
}
