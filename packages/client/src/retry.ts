// Retries of failed requests, with exponential backoff and jitter.

import type { Environment } from './environment.js';
import { ServiceUnreachableError } from './errors.js';
import { TransientError } from './http.js';

/** The specification's numbers. */
export const DEFAULT_MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/**
 * Passed to `onRetry` before the client waits for the next attempt.
 * @example
 * ```ts
 * const onRetry = ({ operation, attempt, delayMs, reason }: RetryEvent) =>
 *   console.warn(`${operation}: attempt ${attempt} failed (${reason}), retrying in ${delayMs} ms`);
 * ```
 */
export interface RetryEvent {
  /** The name of the call. */
  readonly operation: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Time until the next attempt. */
  readonly delayMs: number;
  readonly reason: string;
}

export interface RetryOptions {
  readonly operation: string;
  /** 1 for requests that must not be repeated. */
  readonly maxAttempts: number;
  /** Repeat only what the service cannot have processed. */
  readonly onlyUnprocessed?: boolean | undefined;
  /** No attempt starts after this time of `now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

/** Repeats `run` after a TransientError; throws ServiceUnreachableError after the last attempt. */
export async function retry<T>(
  run: (attempt: number) => Promise<T>,
  options: RetryOptions,
  { now, random, sleep }: Pick<Environment, 'now' | 'random' | 'sleep'>,
): Promise<T> {
  const { operation, deadline, signal, onRetry } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(attempt);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      const { message: reason, retryAfterMs } = error;
      const delayMs = delayAfter(attempt, retryAfterMs, random());
      if (isFinal(error, attempt, options) || now() + delayMs >= deadline) {
        const attempts = attempt === 1 ? '' : ` after ${attempt} attempts`;
        const message = `${operation} failed${attempts}: ${reason}.`;
        throw new ServiceUnreachableError(message, { retryAfterMs, cause: error });
      }
      onRetry?.({ operation, attempt, delayMs, reason });
      await sleep(delayMs, signal);
    }
  }
}

function isFinal(error: TransientError, attempt: number, { maxAttempts, onlyUnprocessed }: RetryOptions): boolean {
  return attempt >= maxAttempts || (onlyUnprocessed === true && !error.isUnprocessed);
}

/** Half to all of 1, 2, 4, … seconds: the jitter spreads out clients that failed at the same time. */
function delayAfter(attempt: number, retryAfterMs: number, random: number): number {
  const fullDelayMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.min(Math.max((fullDelayMs * (1 + random)) / 2, retryAfterMs), MAX_DELAY_MS);
}
