// How long a run puts up with a service that does not answer. One file that does not get through is that file's failure;
// a service that is away altogether makes everybody wait until it is back, and no file fails because of that.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import type { Brake } from './stopController.js';

export interface PatienceOptions {
  readonly brake: Brake;
  /** Whether the service answers anything at all; the client tries several times before it says no. */
  readonly isThere: (signal: AbortSignal) => Promise<boolean>;
  readonly say: (message: string) => void;
  readonly limitMs?: number;
}

export type Ask = <T>(question: () => Promise<T>) => Promise<T>;

/** A restart or an upgrade is over by then; a run in the night should not wait for the morning. */
const AWAY_LIMIT_MS = 15 * 60_000;
/** Between looks, on top of the client's own pauses. */
const LOOK_AGAIN_MS = 1000;
/** A service that is there and yet fails so many files, one after the other, will fail the rest as well. */
const MAX_FAILURES_IN_A_ROW = 20;

export function createPatience({ brake, isThere, say, limitMs = AWAY_LIMIT_MS }: PatienceOptions): Ask {
  let failures = 0;
  let looking: Promise<'there' | 'back'> | undefined;

  async function look(): Promise<'there' | 'back'> {
    if (await isThere(brake.signal)) return 'there';
    const limit = performance.now() + limitMs;
    say('The service does not answer. Waiting until it is back; nothing is lost meanwhile.');
    do {
      await delay(LOOK_AGAIN_MS);
      if (performance.now() > limit) {
        const message = `The service has not answered for ${Math.round(limitMs / 60_000)} minutes.`;
        brake.pull({ code: 'UNREACHABLE', message, exitCode: 3 });
      }
      brake.signal.throwIfAborted();
    } while (!(await isThere(brake.signal)));
    say('The service is back.');
    return 'back';
  }

  function lookTogether(): Promise<'there' | 'back'> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  function count(error: unknown): void {
    failures += 1;
    if (failures < MAX_FAILURES_IN_A_ROW) return;
    const message = `${failures} requests in a row have failed, the last one so: ${error instanceof Error ? error.message : error}`;
    brake.pull({ code: 'UNREACHABLE', message, exitCode: 3 });
  }

  /** Whether the service was away as a whole, and is back. */
  async function isBackAfter(error: unknown): Promise<boolean> {
    if (!(error instanceof ServiceUnreachableError || error instanceof InvalidResponseError)) return false;
    brake.signal.throwIfAborted();
    if (error instanceof ServiceUnreachableError && (await lookTogether()) === 'back') return true;
    count(error);
    return false;
  }

  return async (question) => {
    for (;;) {
      // Nobody knocks while somebody else finds out whether the service is there.
      await looking;
      brake.signal.throwIfAborted();
      try {
        const answer = await question();
        failures = 0;
        return answer;
      } catch (error) {
        if (!(await isBackAfter(error))) throw error;
      }
    }
  };
}
