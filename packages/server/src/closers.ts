// Closing what was opened, in reverse order.

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

/** When `build` fails, whatever it has pushed is closed before the failure is passed on. */
export async function buildOrClose<T>(closers: CloserStack, build: () => Promise<T>): Promise<T> {
  try {
    return await build();
  } catch (error) {
    // The reason for the failure matters more than a second one while closing.
    await closers.close().catch(() => {});
    throw error;
  }
}
