// Closing what was opened, in reverse order, when it is requested or when opening fails.

/** How the process was asked to stop. */
export interface StopSignals {
  /** Aborts when the process must stop, also while it starts. */
  readonly requested: AbortSignal;
  /** Aborts later, when it must not wait any longer for anything. */
  readonly hurried: AbortSignal;
}

export class CloserStack {
  readonly #closers: (() => unknown)[] = [];
  #closing: Promise<void> | undefined;

  push(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Runs every closer, also after one of them has failed; rejects with the first failure. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** When `build` fails or is stopped, whatever it has pushed is closed before the reason is passed on. */
export async function buildOrClose<T>(closers: CloserStack, build: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  try {
    return await (stop ? Promise.race([build(), rejectOnAbort(stop)]) : build());
  } catch (error) {
    // The reason for the failure matters more than a second one while closing.
    await closers.close().catch(() => {});
    throw error;
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
