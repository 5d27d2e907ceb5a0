// Polls the status of rows that await the chain, with few requests: first the oldest row, and only when that has changed
// the others.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/register';
import { hasErrorCode } from '../../../errorMessages.js';
import type { Queue } from './queue.js';
import { isAwaitingChain, type QueueRow, rowStateFor } from './queueRow.js';

/** The specification asks clients to poll every few seconds at most. */
const POLL_INTERVAL_MS = 3_000;
/** How long the service may hold a request until the status changes: one connection instead of many requests. */
const WAIT_SECONDS = 20;
const PAGE_SIZE = 200;
/** Together as many Artifacts as the queue has rows. Older ones are polled one by one when they are the oldest. */
const MAX_PAGES = 5;

interface StatusPollerPorts {
  readonly client: Pick<RegistryClient, 'getArtifact' | 'listArtifacts'>;
  readonly queue: Pick<Queue, 'rows' | 'applyStatuses'>;
  readonly sleep: (ms: number) => Promise<void>;
}

export function createStatusPoller({ client, queue, sleep }: StatusPollerPorts) {
  let isPolling = false;
  /** `wake` was called since the last request started. */
  let wasWoken = false;

  async function poll(): Promise<void> {
    isPolling = true;
    try {
      for (let oldest = findOldest(); oldest; oldest = findOldest()) {
        wasWoken = false;
        // The response to an expired token may arrive after the next log-in, which calls `wake`.
        if (!(await pollOnce(oldest)) && !wasWoken) return;
        await sleep(POLL_INTERVAL_MS);
      }
    } finally {
      isPolling = false;
    }
  }

  function findOldest(): QueueRow | undefined {
    return queue.rows().find(isAwaitingChain);
  }

  /** Returns false when polling has to wait for a log-in. */
  async function pollOnce(oldest: QueueRow): Promise<boolean> {
    try {
      if (await pollRow(oldest)) await pollLists();
    } catch (error) {
      if (hasErrorCode(error, 'UNAUTHORIZED')) return false;
      if (hasErrorCode(error, 'NOT_FOUND')) markFailed(oldest, texts.fileGone);
      // Other errors are temporary.
    }
    return true;
  }

  function markFailed({ fingerprint }: QueueRow, note: string): void {
    if (fingerprint !== undefined) queue.applyStatuses(new Map([[fingerprint, { state: 'failed', note }]]));
  }

  /** Returns whether the status has changed. */
  async function pollRow({ fingerprint, state }: QueueRow): Promise<boolean> {
    if (fingerprint === undefined) return false;
    // Browsers limit connections per host: a held request must not take one from rows that are being sent.
    const isSending = queue.rows().some((row) => row.state === 'sending');
    const artifact = await client.getArtifact({ fingerprint, wait: isSending ? undefined : WAIT_SECONDS });
    apply([artifact]);
    return rowStateFor(artifact.status) !== state;
  }

  async function pollLists(): Promise<void> {
    const markIds = queue
      .rows()
      .filter(isAwaitingChain)
      .map(({ markId }) => markId);
    for (const markId of new Set(markIds)) {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && hasAwaitingRows(markId); page += 1) {
        const { artifacts, nextCursor } = await client.listArtifacts({ markId, limit: PAGE_SIZE, cursor });
        apply(artifacts);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
    }
  }

  function hasAwaitingRows(markId: string): boolean {
    return queue.rows().some((row) => row.markId === markId && isAwaitingChain(row));
  }

  function apply(artifacts: readonly Artifact[]): void {
    queue.applyStatuses(
      new Map(
        artifacts.map(({ fingerprint, status, errorReason }) => [
          fingerprint,
          { state: rowStateFor(status), note: errorReason ?? undefined },
        ]),
      ),
    );
  }

  return {
    /** Starts polling, unless it is running or no row awaits the chain. */
    wake(): void {
      wasWoken = true;
      if (!isPolling) void poll();
    },
  };
}
