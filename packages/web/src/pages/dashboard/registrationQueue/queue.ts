// The registration queue: hashes and sends files, several at a time. It lives outside React, which it notifies at most
// once per frame.

import type { HashOptions, HashResult } from '@provenance-registry/client';
import { createStore, type ReadableStore } from '../../../store.js';
import { type Candidate, isAwaitingChain, isFinished, type QueueRow, type RowState, rowIdentity } from './queueRow.js';

/** The specification calls four to eight concurrent creations safe. */
const MAX_CONCURRENT = 8;
/** What a page can render quickly and browser storage can hold. */
export const MAX_ROWS = 1000;

/** Why a running queue does nothing. */
export type StopReason = 'login' | 'network' | { readonly limitedMarkId: string };

export type HashFile = (file: Blob, options: HashOptions) => Promise<HashResult>;
/** A row that can be sent. */
export type HashedRow = QueueRow & { readonly fingerprint: NonNullable<QueueRow['fingerprint']> };
/** The new state of a row, or why no row can be sent now. */
export type SendResult =
  | { readonly state: RowState; readonly note?: string | undefined }
  | { readonly stopReason: StopReason };

export interface QueuePorts {
  readonly hash: HashFile;
  readonly send: (row: HashedRow) => Promise<SendResult>;
  /** Why a file could not be hashed, as a sentence. */
  readonly describeHashError: (error: unknown) => string;
  readonly createKey: () => string;
  /** Runs the callback before the next paint. */
  readonly scheduleUpdate: (update: () => void) => void;
  /** Called on every change that should be saved. */
  readonly onChange: () => void;
}

export interface QueueSummary {
  readonly rows: readonly QueueRow[];
  readonly counts: Readonly<Record<RowState, number>>;
  readonly isRunning: boolean;
  readonly stopReason: StopReason | undefined;
}

export interface AddResult {
  readonly added: number;
  readonly alreadyListed: number;
  readonly withoutRoom: number;
}

const noRows: Readonly<Record<RowState, number>> = {
  waiting: 0,
  hashing: 0,
  sending: 0,
  pending: 0,
  submitting: 0,
  submitted: 0,
  failed: 0,
  yours: 0,
  others: 0,
  missing: 0,
};

export type Queue = ReturnType<typeof createQueue>;

export function createQueue({ hash, send, describeHashError, createKey, scheduleUpdate, onChange }: QueuePorts) {
  const rows = new Map<string, QueueRow>();
  const files = new Map<string, File>();
  /** Rows that are being hashed or sent. */
  const active = new Map<string, AbortController>();
  let isRunning = false;
  let stopReason: StopReason | undefined;
  const summary = createStore(summarize());
  let isUpdateScheduled = false;

  function summarize(): QueueSummary {
    const counts = { ...noRows };
    for (const { state } of rows.values()) counts[state] += 1;
    return { rows: [...rows.values()], counts, isRunning, stopReason };
  }

  function updateSummary(): void {
    if (isUpdateScheduled) return;
    isUpdateScheduled = true;
    scheduleUpdate(() => {
      isUpdateScheduled = false;
      summary.set(summarize());
    });
  }

  function handleChange(): void {
    onChange();
    updateSummary();
  }

  function updateRow(id: string, changes: Partial<QueueRow>): void {
    const row = rows.get(id);
    if (!row) return;
    rows.set(id, { ...row, ...changes });
    handleChange();
  }

  function deleteRow(id: string): void {
    active.get(id)?.abort();
    rows.delete(id);
    files.delete(id);
  }

  /** Starts waiting rows while there is capacity. Ends the run when no row is left. */
  function processWaiting(): void {
    if (!isRunning || stopReason !== undefined) return;
    for (const row of rows.values()) {
      if (active.size >= MAX_CONCURRENT) return;
      if (row.state === 'waiting' && !active.has(row.id)) void processRow(row);
    }
    if (active.size > 0) return;
    isRunning = false;
    handleChange();
  }

  async function processRow(row: QueueRow): Promise<void> {
    const controller = new AbortController();
    active.set(row.id, controller);
    try {
      const hashed = await hashRow(row, controller.signal);
      // Paused or removed in the meantime: the row keeps its fingerprint and is not sent.
      if (controller.signal.aborted || stopReason !== undefined) updateRow(row.id, { state: 'waiting' });
      else await sendRow(hashed);
    } catch (error) {
      if (controller.signal.aborted) updateRow(row.id, { state: 'waiting', hashedBytes: 0 });
      else updateRow(row.id, { state: 'failed', note: describeHashError(error) });
    } finally {
      active.delete(row.id);
      processWaiting();
    }
  }

  async function hashRow(row: QueueRow, signal: AbortSignal): Promise<HashedRow> {
    const { fingerprint } = row;
    if (fingerprint !== undefined) return { ...row, fingerprint };
    const file = files.get(row.id);
    if (!file) throw new Error('There is no file to hash.');
    updateRow(row.id, { state: 'hashing', hashedBytes: 0 });
    const onProgress = ({ bytes }: { bytes: number }) => {
      const current = rows.get(row.id);
      if (current) rows.set(row.id, { ...current, hashedBytes: bytes });
      // Progress is not saved: a reload starts hashing again.
      updateSummary();
    };
    const hashed = await hash(file, { signal, onProgress });
    updateRow(row.id, { fingerprint: hashed.fingerprint, size: hashed.size });
    return { ...row, fingerprint: hashed.fingerprint, size: hashed.size };
  }

  async function sendRow(row: HashedRow): Promise<void> {
    updateRow(row.id, { state: 'sending' });
    const result = await send(row);
    if ('stopReason' in result) {
      stopReason = result.stopReason;
      updateRow(row.id, { state: 'waiting' });
      return;
    }
    if (result.state !== 'failed') files.delete(row.id);
    updateRow(row.id, { state: result.state, note: result.note });
  }

  /** Removes finished rows, the oldest first, until `wanted` rows fit. Returns the room there is. */
  function makeRoom(wanted: number): number {
    const finished = [...rows.values()].filter(isFinished);
    for (const { id } of finished) {
      if (MAX_ROWS - rows.size >= wanted) break;
      deleteRow(id);
    }
    return MAX_ROWS - rows.size;
  }

  function add(markId: string, candidates: readonly Candidate[]): AddResult {
    const listed = new Map([...rows.values()].map((row) => [rowIdentity(row), row]));
    const fresh: Candidate[] = [];
    for (const candidate of candidates) {
      const existing = listed.get(rowIdentity(candidate));
      if (existing) attachFile(existing, candidate.file);
      else fresh.push(candidate);
    }
    const room = makeRoom(fresh.length);
    for (const { file, ...candidate } of fresh.slice(0, room)) {
      const id = createKey();
      rows.set(id, {
        ...candidate,
        id,
        markId,
        state: 'waiting',
        hashedBytes: 0,
        note: undefined,
        idempotencyKey: createKey(),
      });
      if (file) files.set(id, file);
    }
    handleChange();
    processWaiting();
    const added = Math.min(fresh.length, room);
    return { added, alreadyListed: candidates.length - fresh.length, withoutRoom: fresh.length - added };
  }

  function attachFile(row: QueueRow, file: File | undefined): void {
    if (!file || (row.state !== 'missing' && row.state !== 'failed')) return;
    files.set(row.id, file);
    resetRow(row);
  }

  function resetRow(row: QueueRow): void {
    const canContinue = row.fingerprint !== undefined || files.has(row.id);
    updateRow(row.id, {
      state: canContinue ? 'waiting' : 'missing',
      note: undefined,
      hashedBytes: 0,
      // The service has responded to the old key already.
      idempotencyKey: createKey(),
    });
  }

  const readableSummary: ReadableStore<QueueSummary> = summary;
  return {
    summary: readableSummary,
    rows: () => [...rows.values()],
    add,

    /** Puts rows of an earlier page in front. */
    restore(earlier: readonly QueueRow[]): void {
      const current = [...rows];
      rows.clear();
      for (const row of earlier) rows.set(row.id, row);
      for (const [id, row] of current) rows.set(id, row);
      makeRoom(0);
      handleChange();
    },

    start(): void {
      isRunning = true;
      stopReason = undefined;
      handleChange();
      processWaiting();
    },

    /** Aborts hashing; lets requests finish. */
    pause(): void {
      isRunning = false;
      for (const [id, controller] of active) if (rows.get(id)?.state === 'hashing') controller.abort();
      handleChange();
    },

    /** Stops for a reason outside the queue. */
    suspend(reason: StopReason): void {
      if (!isRunning) return;
      stopReason = reason;
      handleChange();
    },

    /** Continues if the queue stopped for this reason. */
    resumeAfter(reason: 'login' | 'network'): void {
      if (stopReason !== reason) return;
      stopReason = undefined;
      handleChange();
      processWaiting();
    },

    retry(id?: string): void {
      const failed = [...rows.values()].filter((row) => row.state === 'failed' && (id === undefined || row.id === id));
      for (const row of failed) resetRow(row);
      processWaiting();
    },

    /** Moves all rows that are not started yet to another Mark. */
    setMark(markId: string): void {
      for (const row of rows.values()) {
        const isIdle = (row.state === 'waiting' || row.state === 'missing') && !active.has(row.id);
        // A new key, because it is a different request.
        if (isIdle && row.markId !== markId) updateRow(row.id, { markId, idempotencyKey: createKey() });
      }
    },

    /** Ignored while the row is being sent: its result would be unknown. */
    remove(id: string): void {
      if (rows.get(id)?.state === 'sending') return;
      deleteRow(id);
      handleChange();
      processWaiting();
    },

    clearFinished(): void {
      for (const row of rows.values()) if (isFinished(row)) deleteRow(row.id);
      handleChange();
    },

    /** Applies the states of Artifacts, by fingerprint, to rows that await the chain. */
    applyStatuses(changes: ReadonlyMap<string, Pick<QueueRow, 'state' | 'note'>>): void {
      for (const row of rows.values()) {
        const next = row.fingerprint && changes.get(row.fingerprint);
        if (next && isAwaitingChain(row) && next.state !== row.state) updateRow(row.id, next);
      }
    },
  };
}

/** Leaving the page now would lose chosen files or a response. */
export function hasUnsavedWork(rows: readonly QueueRow[]): boolean {
  return rows.some(
    ({ state, fingerprint }) =>
      state === 'hashing' || state === 'sending' || (state === 'waiting' && fingerprint === undefined),
  );
}
