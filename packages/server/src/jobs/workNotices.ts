// Notices of work: the loops of all processes look for work when one of them announces some, and seldom otherwise.

export interface WorkNotices {
  /** Something was written that a loop may wait for, in this process or another. */
  announce(): void;
  /** Calls the function at each notice. Returns what ends that. */
  subscribe(wake: () => void): () => void;
  /** The pause of a loop that has found nothing to do: longer than its interval where notices arrive, and none did for a while. */
  pauseMs(intervalMs: number): number;
}

/** Without notices, loops keep to their intervals. */
export const noNotices: WorkNotices = {
  announce: () => {},
  subscribe: () => () => {},
  pauseMs: (intervalMs) => intervalMs,
};
