// When to kill a service: moments that are spread over everything it does, chosen by a seed.

import { watch } from 'node:fs';

/** Numbers from 0 to 1, always the same ones for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Resolves when the folder has changed so often; a folder that no longer changes is left after a while. */
export function changesIn(folder: string, count: number, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const watcher = watch(folder, () => {
      left -= 1;
      if (left <= 0) done();
    });
    const timer = setTimeout(done, patienceMs);
    function done() {
      clearTimeout(timer);
      watcher.close();
      resolve();
    }
  });
}

/** A door that callers wait at while it is closed. */
export function door() {
  let opened = Promise.resolve();
  let open: (() => void) | undefined;
  return {
    passed: () => opened,
    close() {
      if (open) return;
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open() {
      open?.();
      open = undefined;
    },
  };
}
