// The registration queue: hashes and sends files, several at a time. It lives outside the components, which it
// notifies at most once per frame.

import { createStore, type ReadableStore } from '../../../store.js';
import {
  type Candidate,
  canRequestCopy,
  type HashedRow,
  isAwaitingChain,
  isBusy,
  isFinished,
  needsUpload,
  type QueueOptions,
  type QueueRow,
  rowIdentity,
  stateWithoutFile,
} from './queueRow.js';
import { type AddResult, noRows, type QueuePorts, type QueueSummary, type StopReason } from './queueTypes.js';
import { createRowCodes, type KnownMark } from './rowCodes.js';
import { createRowCopies, ONLY_IN_TAB_NOTE } from './rowCopies.js';

export type { AddResult, QueueSummary, SendResult } from './queueTypes.js';

/** The specification calls four to eight concurrent creations safe. */
const MAX_CONCURRENT = 8;
/** The service signs one image of a user at a time; the next one is sent meanwhile. */
const MAX_UPLOADS = 2;
/** What a page can render quickly and browser storage can hold. */
export const MAX_ROWS = 1000;

export type Queue = ReturnType<typeof createQueue>;

export function createQueue(ports: QueuePorts) {
  const { hash, send, createCopy, copies, computeCodes, findSimilar, describeHashError } = ports;
  const { createKey, scheduleUpdate, onChange } = ports;
  const rows = new Map<string, QueueRow>();
  const files = new Map<string, File>();
  /** Rows that are being hashed or sent. */
  const active = new Map<string, AbortController>();
  let isRunning = false;
  let stopReason: StopReason | undefined;
  let options: QueueOptions = { wantsCopy: false, digitalSourceType: undefined, authorshipStated: false };
  const signedCopies = createRowCopies({ rows, files, copies, createCopy, updateRow });
  const rowCodes = createRowCodes({ rows, files, computeCodes, findSimilar, updateRow });
  const summary = createStore(summarize());
  let isUpdateScheduled = false;

  function summarize(): QueueSummary {
    const counts = { ...noRows };
    for (const { state } of rows.values()) counts[state] += 1;
    return { rows: [...rows.values()], counts, isRunning, stopReason, options, comparison: rowCodes.progress() };
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
    signedCopies.drop(id);
    rowCodes.drop(id);
    rows.delete(id);
    files.delete(id);
  }

  /** Starts waiting rows while there is capacity. Ends the run when no row is left. */
  function processWaiting(): void {
    if (!isRunning || stopReason !== undefined) return;
    for (const row of rows.values()) {
      if (active.size >= MAX_CONCURRENT) return;
      const isBlocked = needsUpload(row) && countUploads() >= MAX_UPLOADS;
      if (row.state === 'waiting' && !active.has(row.id) && !isBlocked) void processRow(row);
    }
    if (active.size > 0) return;
    isRunning = false;
    handleChange();
  }

  function countUploads(): number {
    return [...active.keys()].flatMap((id) => rows.get(id) ?? []).filter(needsUpload).length;
  }

  async function processRow(row: QueueRow): Promise<void> {
    const controller = new AbortController();
    active.set(row.id, controller);
    try {
      const hashed = await withCodes(await hashRow(row, controller.signal));
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

  /** Adds the perceptual hashes to a row; the service computes those of an uploaded file itself. */
  async function withCodes(row: HashedRow): Promise<HashedRow> {
    return needsUpload(row) ? row : { ...row, codes: await rowCodes.prepare(row.id) };
  }

  async function sendRow(row: HashedRow): Promise<void> {
    updateRow(row.id, { state: 'sending' });
    const result = await send(row, needsUpload(row) ? files.get(row.id) : undefined);
    if ('stopReason' in result) {
      stopReason = result.stopReason;
      updateRow(row.id, { state: 'waiting' });
      return;
    }
    const { state, note, isSignedCopy = false, copy, copyNote, similar = rows.get(row.id)?.similar ?? [] } = result;
    // Stored first: a row that is not saved as sent finds its copy after a crash.
    const stored = copy && (await signedCopies.store(row.id, copy));
    // Not needed any more, and long for recordings.
    const codes = state === 'failed' ? row.codes : undefined;
    updateRow(row.id, { state, note, isSignedCopy, copyNote, similar, codes, ...stored });
    const sent = rows.get(row.id);
    // Kept where the user can still ask for a signed copy.
    if (sent && state !== 'failed' && !canRequestCopy(sent)) files.delete(row.id);
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
        isSignedCopy: false,
        copy: undefined,
        copyNote: undefined,
        codes: undefined,
        similar: [],
        idempotencyKey: createKey(),
        ...options,
      });
      if (file) files.set(id, file);
    }
    rowCodes.compareWaiting();
    handleChange();
    processWaiting();
    const added = Math.min(fresh.length, room);
    return { added, alreadyListed: candidates.length - fresh.length, withoutRoom: fresh.length - added };
  }

  function attachFile(row: QueueRow, file: File | undefined): void {
    if (!file) return;
    if (row.copy === 'needsFile') {
      files.set(row.id, file);
      void signedCopies.create(row.id);
    }
    if (row.state !== 'missing' && row.state !== 'failed') return;
    files.set(row.id, file);
    // The service may have received a request of this row: with the same key it is recognized.
    if (row.state === 'missing') updateRow(row.id, { state: 'waiting', fingerprint: undefined, hashedBytes: 0 });
    else resetRow(row);
  }

  function resetRow(row: QueueRow): void {
    const waiting: QueueRow = { ...row, state: 'waiting' };
    updateRow(row.id, {
      state: files.has(row.id) ? 'waiting' : stateWithoutFile(waiting),
      note: undefined,
      copyNote: undefined,
      hashedBytes: 0,
      // The service has responded to the old key already.
      idempotencyKey: createKey(),
    });
  }

  function isIdle(row: QueueRow): boolean {
    return (row.state === 'waiting' || row.state === 'missing') && !active.has(row.id);
  }

  const readableSummary: ReadableStore<QueueSummary> = summary;
  return {
    summary: readableSummary,
    rows: () => [...rows.values()],
    add,

    /** Puts rows of an earlier page in front, and continues with the options of its unfinished files. */
    restore(earlier: readonly QueueRow[]): void {
      const current = [...rows];
      const unfinished = earlier.find(isIdle);
      if (current.length === 0 && unfinished) {
        const { wantsCopy, digitalSourceType, authorshipStated } = unfinished;
        options = { wantsCopy, digitalSourceType, authorshipStated };
      }
      rows.clear();
      for (const row of earlier) rows.set(row.id, row);
      for (const [id, row] of current) rows.set(id, row);
      makeRoom(0);
      handleChange();
      void signedCopies.findStored(earlier);
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
        // A new key, because it is a different request.
        if (isIdle(row) && row.markId !== markId) updateRow(row.id, { markId, idempotencyKey: createKey() });
      }
      rowCodes.compareWaiting();
    },

    /** Codes are computed and sent for public Marks only, and for none while the user does not want it. */
    setCodes(wanted: { readonly isOn: boolean; readonly marks: readonly KnownMark[] }): void {
      for (const id of rowCodes.configure(wanted)) updateRow(id, { idempotencyKey: createKey() });
      rowCodes.compareWaiting();
      updateSummary();
    },

    /** Applies to all rows that are not registered yet, and to those that are added later. */
    setOptions(changes: Partial<QueueOptions>): void {
      options = { ...options, ...changes };
      for (const row of rows.values()) {
        if (!isIdle(row) && row.state !== 'failed') continue;
        const changed = { ...row, ...options, idempotencyKey: createKey() };
        rows.set(row.id, { ...changed, state: files.has(row.id) ? row.state : stateWithoutFile(changed) });
      }
      onChange();
      // At once: until then, the checkbox would show its old state.
      summary.set(summarize());
    },

    /** Asks for a signed copy of a registered file. */
    requestCopy(id: string): void {
      const row = rows.get(id);
      if (row && canRequestCopy(row)) void signedCopies.create(id);
    },

    readCopy: signedCopies.read,

    markCopyDownloaded(id: string): void {
      updateRow(id, { copy: 'downloaded', copyNote: undefined });
    },

    /** Ignored while a response is awaited: the result would be unknown. */
    remove(id: string): void {
      const row = rows.get(id);
      if (!row || isBusy(row)) return;
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
        if (!next || !isAwaitingChain(row) || next.state === row.state) continue;
        updateRow(row.id, { ...next, ...(next.state === 'failed' && signedCopies.revoke(row)) });
      }
    },
  };
}

/** Leaving the page now would lose chosen files, a response or a signed copy. */
export function hasUnsavedWork(rows: readonly QueueRow[]): boolean {
  return rows.some(
    ({ state, fingerprint, copy, copyNote }) =>
      state === 'hashing' ||
      state === 'sending' ||
      (state === 'waiting' && fingerprint === undefined) ||
      copy === 'creating' ||
      (copy === 'ready' && copyNote === ONLY_IN_TAB_NOTE),
  );
}
