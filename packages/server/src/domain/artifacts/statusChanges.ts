// Waits for changes of Artifact statuses, with one query for all waiting requests.

import type { ArtifactStatus } from '@provenance-registry/core';
import type { Artifacts, StatusChanges } from '../ports/index.js';

/** Short against the seconds that a chain takes. */
const POLL_MS = 250;

export function watchStatuses(artifacts: Pick<Artifacts, 'findStatuses'>): StatusChanges {
  const waiters = new Map<string, Set<{ readonly status: ArtifactStatus; readonly finish: () => void }>>();
  let isPolling = false;

  async function poll(): Promise<void> {
    const statuses = await artifacts.findStatuses([...waiters.keys()]).catch(() => new Map<string, ArtifactStatus>());
    for (const [id, status] of statuses) {
      for (const waiter of waiters.get(id) ?? []) if (waiter.status !== status) waiter.finish();
    }
    isPolling = waiters.size > 0;
    if (isPolling) setTimeout(poll, POLL_MS);
  }

  return {
    waitForChange(id, status, waitMs) {
      return new Promise((resolve) => {
        const waiter = { status, finish };
        const timeout = setTimeout(finish, waitMs);
        function finish() {
          clearTimeout(timeout);
          const others = waiters.get(id);
          others?.delete(waiter);
          if (others?.size === 0) waiters.delete(id);
          resolve();
        }
        const others = waiters.get(id) ?? new Set();
        waiters.set(id, others.add(waiter));
        if (isPolling) return;
        isPolling = true;
        setTimeout(poll, POLL_MS);
      });
    },
  };
}
