// When and how often a request is sent again: as the specification advises, on 5xx and network faults alone.

import type { Surroundings } from './environment.js';
import { ServiceUnreachableError } from './errors.js';
import { Fault } from './exchange.js';

/** The specification's numbers. */
export const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

export interface RetryEvent {
  /** The name of the call. */
  readonly operation: string;
  /** The one that failed, from 1. */
  readonly attempt: number;
  /** Until the next one. */
  readonly delayMs: number;
  readonly reason: string;
}

export interface Persistence {
  readonly operation: string;
  /** One for what may have been done although no answer came, and must not be done twice. */
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
}

export async function persist<T>(
  once: (attempt: number) => Promise<T>,
  { operation, attempts, signal, onRetry }: Persistence,
  { random, sleep }: Pick<Surroundings, 'random' | 'sleep'>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(attempt);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const reason = error.message;
      if (attempt >= attempts) {
        const often = attempt === 1 ? '' : ` after ${attempt} attempts`;
        throw new ServiceUnreachableError(`${operation} failed${often}: ${reason}.`, { cause: error });
      }
      const delayMs = delayAfter(attempt, error.retryAfterMs, random());
      onRetry?.({ operation, attempt, delayMs, reason });
      await sleep(delayMs, signal);
    }
  }
}

/** Between the half and the whole of 1, 2, 4, … seconds, so that many clients do not come back all at once. */
function delayAfter(attempt: number, retryAfterMs: number, chance: number): number {
  const longest = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.min(Math.max((longest * (1 + chance)) / 2, retryAfterMs), MAX_DELAY_MS);
}
