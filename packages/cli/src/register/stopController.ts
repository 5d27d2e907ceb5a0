// Ends a run early: nothing new is begun, what is under way is finished.

import { setMaxListeners } from 'node:events';
import type { ExitCode } from '../command.js';

/** Why a run ends before its end. */
export interface Stop {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** By Ctrl-C; the exit code is that of the signal, then. */
export const interrupted: Stop = { code: 'INTERRUPTED', message: 'Interrupted.', exitCode: 3 };

/** Thrown by what is not begun any more. */
export class Halted extends Error {
  override readonly name = 'Halted';
}

export class Brake {
  readonly #controller = new AbortController();
  #stop: Stop | undefined;

  constructor() {
    // Everything that is under way listens to it; Node warns of more than ten.
    setMaxListeners(0, this.#controller.signal);
  }

  /** Aborted with `Halted`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** The first reason counts. */
  pull(stop: Stop): void {
    if (this.#stop) return;
    this.#stop = stop;
    this.#controller.abort(new Halted(stop.message));
  }
}
