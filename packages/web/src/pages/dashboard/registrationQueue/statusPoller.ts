// Follows what is on its way to the chain, with few requests: the oldest is asked for, and when it has moved, so have others.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import { hasCode } from '../../../registryClient.js';
import type { Queue } from './queue.js';
import { isOnItsWay, type Row, stateOf } from './queueRow.js';

/** The specification: at most one look every few seconds. */
const ROUND_MS = 3_000;
/** How long the service may keep a question until there is something new: one connection, instead of many questions. */
const WAIT_SECONDS = 20;
const PAGE = 200;
/** As many as the list has rows; what is older is asked for one by one, when it is the oldest. */
const MAX_PAGES = 5;

type Service = Pick<RegistryClient, 'getArtifact' | 'listArtifacts'>;

interface WatcherPorts {
  readonly service: Service;
  readonly queue: Pick<Queue, 'rows' | 'update'>;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface Watcher {
  /** Begins to look, unless it does already or there is nothing to see. */
  look(): void;
}

export function createWatcher({ service, queue, sleep }: WatcherPorts): Watcher {
  let isLooking = false;
  /** Somebody has called `look` since the last question was asked. */
  let isCalled = false;

  async function watch(): Promise<void> {
    isLooking = true;
    try {
      for (let oldest = firstOnItsWay(); oldest; oldest = firstOnItsWay()) {
        isCalled = false;
        // A refusal of the old token may come after the next log-in.
        if (!(await lookAt(oldest)) && !isCalled) return;
        await sleep(ROUND_MS);
      }
    } finally {
      isLooking = false;
    }
  }

  function firstOnItsWay(): Row | undefined {
    return queue.rows().find(isOnItsWay);
  }

  /** Whether looking on makes sense. */
  async function lookAt(oldest: Row): Promise<boolean> {
    try {
      if (await hasMoved(oldest)) await lookAtOthers();
    } catch (error) {
      // After the next log-in somebody calls `look` again.
      if (hasCode(error, 'UNAUTHORIZED')) return false;
      if (hasCode(error, 'NOT_FOUND')) giveUp(oldest);
      // Other trouble passes.
    }
    return true;
  }

  function giveUp({ fingerprint }: Row): void {
    const note = 'The registry does not have it any more.';
    if (fingerprint !== undefined) queue.update(new Map([[fingerprint, { state: 'failed', note }]]));
  }

  async function hasMoved({ fingerprint, state }: Row): Promise<boolean> {
    if (fingerprint === undefined) return false;
    // Browsers keep few connections to one place: none is taken from those that send.
    const isSending = queue.rows().some((row) => row.state === 'sending');
    const artifact = await service.getArtifact({ fingerprint, wait: isSending ? undefined : WAIT_SECONDS });
    apply([artifact]);
    return stateOf(artifact.status) !== state;
  }

  async function lookAtOthers(): Promise<void> {
    const markIds = queue
      .rows()
      .filter(isOnItsWay)
      .map(({ markId }) => markId);
    for (const markId of new Set(markIds)) {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && isAwaited(markId); page += 1) {
        const { artifacts, nextCursor } = await service.listArtifacts({ markId, limit: PAGE, cursor });
        apply(artifacts);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
    }
  }

  function isAwaited(markId: string): boolean {
    return queue.rows().some((row) => row.markId === markId && isOnItsWay(row));
  }

  function apply(artifacts: readonly Artifact[]): void {
    queue.update(
      new Map(
        artifacts.map(({ fingerprint, status, errorReason }) => [
          fingerprint,
          { state: stateOf(status), note: errorReason ?? undefined },
        ]),
      ),
    );
  }

  return {
    look() {
      isCalled = true;
      if (!isLooking) void watch();
    },
  };
}
