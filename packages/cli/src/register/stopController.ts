// Stops a run early: no new work is started, pending requests finish.

import { setMaxListeners } from 'node:events';
import type { ExitCode } from '../exitCode.js';

export interface StopReason {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Ctrl-C. The process then exits with the signal's exit code instead. */
export const INTERRUPTED: StopReason = { code: 'INTERRUPTED', message: 'Interrupted.', exitCode: 3 };

/** Thrown in place of work that is not started because the run is stopping. */
export class RunStoppedError extends Error {
  override readonly name = 'RunStoppedError';
}

export class StopController {
  readonly #controller = new AbortController();
  /** Aborted with a RunStoppedError. */
  readonly signal: AbortSignal = this.#controller.signal;
  #reason: StopReason | undefined;

  constructor() {
    // Every pending operation listens; Node warns about more than ten listeners.
    setMaxListeners(0, this.signal);
  }

  /** Undefined while the run goes on. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller.abort(new RunStoppedError(reason.message));
  }
}
