// Updates rows that await the chain by the events of their Artifacts. Each is also asked for once: what happened before the
// stream was open, or before a response that repeats an earlier one, comes with no event.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, FeedEvent } from '@provenance-registry/core';
import * as texts from '#texts/register';
import { hasErrorCode } from '../../../errorMessages.js';
import type { EventListener } from '../../../eventStream.js';
import type { Queue } from './queue.js';
import { isAwaitingChain, type QueueRow, rowStateFor } from './queueRow.js';

const PAGE_SIZE = 200;
/** Together as many Artifacts as the queue has rows. Older ones are asked for one by one. */
const MAX_PAGES = 5;
/** Rows of this time are asked for together. */
const GATHER_MS = 3_000;

type Outcome = Pick<QueueRow, 'state' | 'note'>;

interface StatusFollowerPorts {
  readonly client: Pick<RegistryClient, 'getArtifact' | 'listArtifacts'>;
  readonly queue: Pick<Queue, 'rows' | 'applyStatuses'>;
  readonly subscribe: (listener: EventListener) => () => void;
  readonly schedule: (delayMs: number, work: () => void) => void;
}

export function createStatusFollower({ client, queue, subscribe, schedule }: StatusFollowerPorts) {
  let unsubscribe: (() => void) | undefined;
  /** Outcomes by fingerprint. An event may come before the response that tells that the Artifact was created. */
  const outcomes = new Map<string, Outcome>();
  /** Fingerprints whose status was requested. */
  const asked = new Set<string | undefined>();
  let isScheduled = false;
  let isChecking = false;
  /** The last check has failed, or there was none since events were missed. */
  let isCheckDue = false;

  function onEvent({ type, data }: FeedEvent): void {
    const fingerprint = data?.['fingerprint'];
    if (typeof fingerprint !== 'string') return;
    const reason = data?.['reason'];
    if (type === 'artifact.submitted') outcomes.set(fingerprint, { state: 'submitted', note: undefined });
    else if (type === 'artifact.failed') {
      outcomes.set(fingerprint, { state: 'failed', note: typeof reason === 'string' ? reason : undefined });
    } else if (type === 'artifact.created') outcomes.delete(fingerprint);
    applyOutcomes();
  }

  function onOpen(hasGap: boolean): void {
    isCheckDue ||= hasGap;
    if (isCheckDue) void check();
  }

  function applyOutcomes(): void {
    if (outcomes.size > 0) queue.applyStatuses(outcomes);
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      await checkAll();
      // The stream was opened in the meantime: what happened before that may be missing.
      while (isCheckDue) await checkAll();
    } catch (error) {
      isCheckDue = true;
      // Otherwise after the next log-in.
      if (!hasErrorCode(error, 'UNAUTHORIZED')) checkLater();
    } finally {
      isChecking = false;
    }
  }

  async function checkAll(): Promise<void> {
    isCheckDue = false;
    const rows = awaitingRows();
    const listed = await checkLists();
    for (const row of awaitingRows()) if (!listed.has(row.fingerprint)) await checkRow(row);
    for (const { fingerprint } of rows) asked.add(fingerprint);
  }

  function awaitingRows(): QueueRow[] {
    return queue.rows().filter(isAwaitingChain);
  }

  /** Returns the fingerprints that were in the lists. */
  async function checkLists(): Promise<ReadonlySet<string | undefined>> {
    const listed = new Set<string | undefined>();
    for (const markId of new Set(awaitingRows().map((row) => row.markId))) {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && awaitingRows().some((row) => row.markId === markId); page += 1) {
        const { artifacts, nextCursor } = await client.listArtifacts({ markId, limit: PAGE_SIZE, cursor });
        apply(artifacts);
        for (const { fingerprint } of artifacts) listed.add(fingerprint);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
    }
    return listed;
  }

  async function checkRow({ fingerprint }: QueueRow): Promise<void> {
    if (fingerprint === undefined) return;
    try {
      apply([await client.getArtifact({ fingerprint })]);
    } catch (error) {
      if (!hasErrorCode(error, 'NOT_FOUND')) throw error;
      queue.applyStatuses(new Map([[fingerprint, { state: 'failed', note: texts.fileGone }]]));
    }
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

  /** Listens while rows are sent or await the chain. */
  function update(): void {
    const rows = queue.rows();
    if (!rows.some((row) => row.state === 'sending' || isAwaitingChain(row))) {
      unsubscribe?.();
      unsubscribe = undefined;
      outcomes.clear();
      asked.clear();
      return;
    }
    if (!unsubscribe) {
      unsubscribe = subscribe({ onEvent, onOpen });
      if (rows.some(isAwaitingChain)) void check();
    }
    applyOutcomes();
    if (!isChecking && !isCheckDue && awaitingRows().some(({ fingerprint }) => !asked.has(fingerprint))) checkLater();
  }

  function checkLater(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(GATHER_MS, () => {
      isScheduled = false;
      if (unsubscribe) void check();
    });
  }

  return {
    /** Call this after each change of the queue. */
    update,
    /** Call this after a log-in. */
    resume(): void {
      update();
      if (unsubscribe && isCheckDue) void check();
    },
  };
}
