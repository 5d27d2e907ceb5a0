// Updates rows that await the chain by the events of their Artifacts. Each is also asked for once: what happened before the
// stream was open, or before a response that repeats an earlier one, comes with no event.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, FeedEvent } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/register';
import { hasErrorCode } from '../../../errorMessages.js';
import type { EventListener } from '../../../eventStream.js';
import type { Queue } from './queue.js';
import { isAwaitingChain, type QueueRow, rowStateFor } from './queueRow.js';

const PAGE_SIZE = 200;
/** Pages that together hold as many Artifacts as the queue has rows. Older ones are asked for one by one. */
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

export class StatusFollower {
  #unsubscribe: (() => void) | undefined;
  /** Outcomes by fingerprint. An event may come before the response that tells that the Artifact was created. */
  readonly #outcomes = new Map<string, Outcome>();
  /** Fingerprints whose status was requested. */
  readonly #asked = new Set<string | undefined>();
  #isScheduled = false;
  #isChecking = false;
  /** The last check has failed, or there was none since events were missed. */
  #isCheckDue = false;

  constructor(private readonly ports: StatusFollowerPorts) {}

  /** Listens while rows are sent or await the chain. Call this after each change of the queue. */
  update(): void {
    const rows = this.ports.queue.rows();
    if (!rows.some((row) => row.state === 'sending' || isAwaitingChain(row))) {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      this.#outcomes.clear();
      this.#asked.clear();
      return;
    }
    if (!this.#unsubscribe) {
      this.#unsubscribe = this.ports.subscribe({
        onEvent: (event) => this.#handleEvent(event),
        onOpen: (hasGap) => this.#handleOpen(hasGap),
      });
      if (rows.some(isAwaitingChain)) void this.#check();
    }
    this.#applyOutcomes();
    if (this.#isChecking || this.#isCheckDue) return;
    if (this.#awaitingRows().some(({ fingerprint }) => !this.#asked.has(fingerprint))) this.#checkLater();
  }

  /** Continues with a check that is due. Call this after a log-in. */
  resume(): void {
    this.update();
    if (this.#unsubscribe && this.#isCheckDue) void this.#check();
  }

  #handleEvent({ type, data }: FeedEvent): void {
    const fingerprint = data?.['fingerprint'];
    if (typeof fingerprint !== 'string') return;
    const reason = data?.['reason'];
    if (type === 'artifact.submitted') this.#outcomes.set(fingerprint, { state: 'submitted', note: undefined });
    else if (type === 'artifact.failed') {
      this.#outcomes.set(fingerprint, { state: 'failed', note: typeof reason === 'string' ? reason : undefined });
    } else if (type === 'artifact.created') this.#outcomes.delete(fingerprint);
    this.#applyOutcomes();
  }

  #handleOpen(hasGap: boolean): void {
    this.#isCheckDue ||= hasGap;
    if (this.#isCheckDue) void this.#check();
  }

  #applyOutcomes(): void {
    if (this.#outcomes.size > 0) this.ports.queue.applyStatuses(this.#outcomes);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      await this.#checkAll();
      // The stream was opened in the meantime: what happened before that may be missing.
      while (this.#isCheckDue) await this.#checkAll();
    } catch (error) {
      this.#isCheckDue = true;
      // Otherwise after the next log-in.
      if (!hasErrorCode(error, 'UNAUTHORIZED')) this.#checkLater();
    } finally {
      this.#isChecking = false;
    }
  }

  #checkLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.ports.schedule(GATHER_MS, () => {
      this.#isScheduled = false;
      if (this.#unsubscribe) void this.#check();
    });
  }

  async #checkAll(): Promise<void> {
    this.#isCheckDue = false;
    const rows = this.#awaitingRows();
    const listed = await this.#checkLists();
    for (const row of this.#awaitingRows()) if (!listed.has(row.fingerprint)) await this.#checkRow(row);
    for (const { fingerprint } of rows) this.#asked.add(fingerprint);
  }

  #awaitingRows(): QueueRow[] {
    return this.ports.queue.rows().filter(isAwaitingChain);
  }

  /** Returns the fingerprints that were in the lists. */
  async #checkLists(): Promise<ReadonlySet<string | undefined>> {
    const listed = new Set<string | undefined>();
    for (const markId of new Set(this.#awaitingRows().map((row) => row.markId))) {
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES && this.#awaitingRows().some((row) => row.markId === markId); page += 1) {
        const { artifacts, nextCursor } = await this.ports.client.listArtifacts({ markId, limit: PAGE_SIZE, cursor });
        this.#apply(artifacts);
        for (const { fingerprint } of artifacts) listed.add(fingerprint);
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
    }
    return listed;
  }

  async #checkRow({ fingerprint }: QueueRow): Promise<void> {
    if (fingerprint === undefined) return;
    try {
      this.#apply([await this.ports.client.getArtifact({ fingerprint })]);
    } catch (error) {
      if (!hasErrorCode(error, 'NOT_FOUND')) throw error;
      this.ports.queue.applyStatuses(new Map([[fingerprint, { state: 'failed', note: texts.fileGone }]]));
    }
  }

  #apply(artifacts: readonly Artifact[]): void {
    const outcomes = artifacts.map(({ fingerprint, status, errorReason }): [string, Outcome] => [
      fingerprint,
      { state: rowStateFor(status), note: errorReason ?? undefined },
    ]);
    this.ports.queue.applyStatuses(new Map(outcomes));
  }
}
