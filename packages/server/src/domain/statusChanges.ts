// Waiting for an Artifact's status to change: however many wait, the database is asked once for all of them.

import type { ArtifactStatus } from '@provenance-registry/core';
import type { Artifacts, StatusChanges } from './ports/index.js';

/** The chain needs seconds: nobody notices a fraction of one. */
const LOOK_EVERY_MS = 250;

interface Waiter {
  readonly status: ArtifactStatus;
  readonly done: () => void;
}

export function watchStatuses(artifacts: Pick<Artifacts, 'statuses'>): StatusChanges {
  const waiters = new Map<string, Set<Waiter>>();
  let isLooking = false;

  async function look(): Promise<void> {
    const now = await artifacts.statuses([...waiters.keys()]).catch(() => new Map<string, ArtifactStatus>());
    for (const [id, status] of now) {
      for (const waiter of waiters.get(id) ?? []) if (waiter.status !== status) waiter.done();
    }
    isLooking = waiters.size > 0;
    if (isLooking) setTimeout(look, LOOK_EVERY_MS);
  }

  return {
    after(id, status, waitMs) {
      return new Promise((resolve) => {
        const waiter = { status, done };
        const timeOver = setTimeout(done, waitMs);
        function done() {
          clearTimeout(timeOver);
          const others = waiters.get(id);
          others?.delete(waiter);
          if (others?.size === 0) waiters.delete(id);
          resolve();
        }
        const others = waiters.get(id) ?? new Set();
        waiters.set(id, others.add(waiter));
        if (isLooking) return;
        isLooking = true;
        setTimeout(look, LOOK_EVERY_MS);
      });
    },
  };
}
