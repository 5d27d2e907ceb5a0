// The port to the loops that work in the background, in this process and others.

export interface WorkAnnouncer {
  /** Something was recorded that such a loop may wait for: it looks now, rather than at its next interval. */
  announce(): void;
}
