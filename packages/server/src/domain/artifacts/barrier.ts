// A barrier: its members wait until all of them wait or have left, but not for long.

/** One that is slow, as when the file store does not respond at once, shall not make the drafts of the others old. */
const MAX_WAIT_MS = 5_000;

export class Barrier {
  #members = 0;
  readonly #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Until a member leaves, the others wait for it. */
  join(): void {
    this.#members += 1;
  }

  leave(): void {
    this.#members -= 1;
    this.#openIfAllWait();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#timer ??= setTimeout(() => this.#open(), MAX_WAIT_MS);
      this.#openIfAllWait();
    });
  }

  #openIfAllWait(): void {
    if (this.#waiting.length >= this.#members) this.#open();
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
