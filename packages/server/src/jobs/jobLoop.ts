// The loop of all background work: a step, a pause that new work ends, longer pauses after failures, and an orderly stop.

import type { WorkNotices } from './workNotices.js';

export interface StepFailure {
  readonly reason: string;
  /** Number of failures in a row, with this one. */
  readonly count: number;
  /** The reason is not that of the failure before: an outage is logged once. */
  readonly isNew: boolean;
}

export interface JobLoopOptions {
  /** Does what is due. Returns the time until the next step, in milliseconds. */
  readonly step: (stop: AbortSignal) => Promise<number>;
  /** Returns the time until the next step. */
  readonly onFailure: (error: unknown, failure: StepFailure) => number;
  /** Names the reason of a failure without secrets; by default the error's message. */
  readonly describeReason?: (error: unknown) => string;
  /** Called for the first step that succeeds after failures. */
  readonly onRecovery?: () => void;
  /** Pauses are never shorter, also when new work ends them: what arrives meanwhile is done together. */
  readonly minPauseMs?: number;
  /** End the pause as well, except after a failure. */
  readonly notices?: WorkNotices;
}

export class JobLoop {
  readonly #options: JobLoopOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #failures = 0;
  #lastReason = '';
  #isWoken = false;
  #endPause = (): void => {};
  readonly #unsubscribe: (() => void) | undefined;

  constructor(options: JobLoopOptions) {
    this.#options = options;
    this.#unsubscribe = options.notices?.subscribe(() => {
      // Others cannot know better than the loop whether what has failed is available again.
      if (this.#failures === 0) this.wake();
    });
    this.#running = this.#run();
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** There is new work: ends the pause, or leaves out the one after the current step. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#stop.abort();
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { minPauseMs = 0 } = this.#options;
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.#runStep();
      if (pauseMs === 0) continue;
      const shortMs = Math.min(minPauseMs, pauseMs);
      if (shortMs > 0) await this.#pause(shortMs, () => false);
      await this.#pause(pauseMs - shortMs, () => this.#isWoken);
    }
  }

  async #runStep(): Promise<number> {
    const { step, onFailure, onRecovery, describeReason = readMessage } = this.#options;
    try {
      const pauseMs = await step(this.#stop.signal);
      if (this.#failures > 0) onRecovery?.();
      this.#failures = 0;
      this.#lastReason = '';
      return pauseMs;
    } catch (error) {
      this.#failures += 1;
      const reason = describeReason(error);
      const isNew = reason !== this.#lastReason;
      this.#lastReason = reason;
      return onFailure(error, { reason, count: this.#failures, isNew });
    }
  }

  async #pause(ms: number, isOver: () => boolean): Promise<void> {
    if (this.#stop.signal.aborted || isOver()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        if (!this.#stop.signal.aborted && !isOver()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endPause = () => {};
  }
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
