// The registration queue: hashes and sends files, several at a time. It lives outside the components, which it
// notifies at most once per frame.

import { createStore, type ReadableStore, type Store } from '../../../store.js';
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
/** Rows that a page can render quickly and browser storage can hold. */
export const MAX_ROWS = 1000;

export class Queue {
  readonly summary: ReadableStore<QueueSummary>;
  readonly #summary: Store<QueueSummary>;
  readonly #ports: QueuePorts;
  readonly #rows = new Map<string, QueueRow>();
  readonly #files = new Map<string, File>();
  /** Rows that are being hashed or sent. */
  readonly #active = new Map<string, AbortController>();
  readonly #signedCopies: ReturnType<typeof createRowCopies>;
  readonly #rowCodes: ReturnType<typeof createRowCodes>;
  #isRunning = false;
  #stopReason: StopReason | undefined;
  #options: QueueOptions = { wantsCopy: false, digitalSourceType: undefined, authorshipStated: false };
  #isUpdateScheduled = false;

  constructor(ports: QueuePorts) {
    this.#ports = ports;
    const shared = { ...ports, rows: this.#rows, files: this.#files, updateRow: this.#updateRow.bind(this) };
    this.#signedCopies = createRowCopies(shared);
    this.#rowCodes = createRowCodes(shared);
    this.#summary = createStore(this.#summarize());
    this.summary = this.#summary;
  }

  rows(): QueueRow[] {
    return [...this.#rows.values()];
  }

  add(markId: string, candidates: readonly Candidate[]): AddResult {
    const listed = new Map(this.rows().map((row) => [rowIdentity(row), row]));
    const fresh: Candidate[] = [];
    for (const candidate of candidates) {
      const existing = listed.get(rowIdentity(candidate));
      if (existing) this.#attachFile(existing, candidate.file);
      else fresh.push(candidate);
    }
    const room = this.#makeRoom(fresh.length);
    for (const { file, ...candidate } of fresh.slice(0, room)) {
      const id = this.#ports.createKey();
      this.#rows.set(id, {
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
        idempotencyKey: this.#ports.createKey(),
        ...this.#options,
      });
      if (file) this.#files.set(id, file);
    }
    this.#rowCodes.compareWaiting();
    this.#handleChange();
    this.#processWaiting();
    const added = Math.min(fresh.length, room);
    return { added, alreadyListed: candidates.length - fresh.length, withoutRoom: fresh.length - added };
  }

  /** Puts rows of an earlier page in front, and continues with the options of its unfinished files. */
  restore(earlier: readonly QueueRow[]): void {
    const current = this.rows();
    const unfinished = earlier.find((row) => this.#isIdle(row));
    if (current.length === 0 && unfinished) {
      const { wantsCopy, digitalSourceType, authorshipStated } = unfinished;
      this.#options = { wantsCopy, digitalSourceType, authorshipStated };
    }
    this.#rows.clear();
    for (const row of [...earlier, ...current]) this.#rows.set(row.id, row);
    this.#makeRoom(0);
    this.#handleChange();
    void this.#signedCopies.findStored(earlier);
  }

  start(): void {
    this.#isRunning = true;
    this.#stopReason = undefined;
    this.#handleChange();
    this.#processWaiting();
  }

  /** Aborts hashing; lets requests finish. */
  pause(): void {
    this.#isRunning = false;
    for (const [id, controller] of this.#active) if (this.#rows.get(id)?.state === 'hashing') controller.abort();
    this.#handleChange();
  }

  /** Stops for a reason outside the queue. */
  suspend(reason: StopReason): void {
    if (!this.#isRunning) return;
    this.#stopReason = reason;
    this.#handleChange();
  }

  /** Continues if the queue stopped for this reason. */
  resumeAfter(reason: 'login' | 'network'): void {
    if (this.#stopReason !== reason) return;
    this.#stopReason = undefined;
    this.#handleChange();
    this.#processWaiting();
  }

  retry(id?: string): void {
    const failed = this.rows().filter((row) => row.state === 'failed' && (id === undefined || row.id === id));
    for (const row of failed) this.#resetRow(row);
    this.#processWaiting();
  }

  /** Moves all rows that are not started yet to another Mark. */
  setMark(markId: string): void {
    const moved = this.rows().filter((row) => this.#isIdle(row) && row.markId !== markId);
    // A new key, because it is a different request.
    for (const { id } of moved) this.#updateRow(id, { markId, idempotencyKey: this.#ports.createKey() });
    this.#rowCodes.compareWaiting();
  }

  /** Codes are computed and sent for public Marks only, and for none while the user does not want it. */
  setCodes(wanted: { readonly isOn: boolean; readonly marks: readonly KnownMark[] }): void {
    for (const id of this.#rowCodes.configure(wanted)) this.#updateRow(id, { idempotencyKey: this.#ports.createKey() });
    this.#rowCodes.compareWaiting();
    this.#updateSummary();
  }

  /** Changes the options of all rows that are not registered yet, and of those that are added later. */
  setOptions(changes: Partial<QueueOptions>): void {
    this.#options = { ...this.#options, ...changes };
    for (const row of this.#rows.values()) {
      if (!this.#isIdle(row) && row.state !== 'failed') continue;
      const changed = { ...row, ...this.#options, idempotencyKey: this.#ports.createKey() };
      this.#rows.set(row.id, { ...changed, state: this.#files.has(row.id) ? row.state : stateWithoutFile(changed) });
    }
    this.#ports.onChange();
    // At once: until then, the checkbox would show its old state.
    this.#summary.set(this.#summarize());
  }

  /** Asks for a signed copy of a registered file. */
  requestCopy(id: string): void {
    const row = this.#rows.get(id);
    if (row && canRequestCopy(row)) void this.#signedCopies.create(id);
  }

  readCopy(id: string): Promise<Blob | undefined> {
    return this.#signedCopies.read(id);
  }

  markCopyDownloaded(id: string): void {
    this.#updateRow(id, { copy: 'downloaded', copyNote: undefined });
  }

  /** Removes a row, unless a response is awaited: the result would be unknown. */
  remove(id: string): void {
    const row = this.#rows.get(id);
    if (!row || isBusy(row)) return;
    this.#deleteRow(id);
    this.#handleChange();
    this.#processWaiting();
  }

  clearFinished(): void {
    for (const row of this.#rows.values()) if (isFinished(row)) this.#deleteRow(row.id);
    this.#handleChange();
  }

  /** Applies the states of Artifacts, by fingerprint, to rows that await the chain. */
  applyStatuses(changes: ReadonlyMap<string, Pick<QueueRow, 'state' | 'note'>>): void {
    for (const row of this.#rows.values()) {
      const next = row.fingerprint && changes.get(row.fingerprint);
      if (!next || !isAwaitingChain(row) || next.state === row.state) continue;
      this.#updateRow(row.id, { ...next, ...(next.state === 'failed' && this.#signedCopies.revoke(row)) });
    }
  }

  #summarize(): QueueSummary {
    const counts = { ...noRows };
    for (const { state } of this.#rows.values()) counts[state] += 1;
    const [isRunning, stopReason, options] = [this.#isRunning, this.#stopReason, this.#options];
    return { rows: this.rows(), counts, isRunning, stopReason, options, comparison: this.#rowCodes.progress() };
  }

  #updateSummary(): void {
    if (this.#isUpdateScheduled) return;
    this.#isUpdateScheduled = true;
    this.#ports.scheduleUpdate(() => {
      this.#isUpdateScheduled = false;
      this.#summary.set(this.#summarize());
    });
  }

  #handleChange(): void {
    this.#ports.onChange();
    this.#updateSummary();
  }

  #updateRow(id: string, changes: Partial<QueueRow>): void {
    const row = this.#rows.get(id);
    if (!row) return;
    this.#rows.set(id, { ...row, ...changes });
    this.#handleChange();
  }

  #deleteRow(id: string): void {
    this.#active.get(id)?.abort();
    this.#signedCopies.drop(id);
    this.#rowCodes.drop(id);
    this.#rows.delete(id);
    this.#files.delete(id);
  }

  /** Starts waiting rows while there is capacity. Ends the run when no row is left. */
  #processWaiting(): void {
    if (!this.#isRunning || this.#stopReason !== undefined) return;
    for (const row of this.#rows.values()) {
      if (this.#active.size >= MAX_CONCURRENT) return;
      const isBlocked = needsUpload(row) && this.#countUploads() >= MAX_UPLOADS;
      if (row.state === 'waiting' && !this.#active.has(row.id) && !isBlocked) void this.#processRow(row);
    }
    if (this.#active.size > 0) return;
    this.#isRunning = false;
    this.#handleChange();
  }

  #countUploads(): number {
    return [...this.#active.keys()].flatMap((id) => this.#rows.get(id) ?? []).filter(needsUpload).length;
  }

  async #processRow(row: QueueRow): Promise<void> {
    const controller = new AbortController();
    this.#active.set(row.id, controller);
    try {
      const hashed = await this.#withCodes(await this.#hashRow(row, controller.signal));
      // Paused or removed in the meantime: the row keeps its fingerprint and is not sent.
      if (controller.signal.aborted || this.#stopReason !== undefined) this.#updateRow(row.id, { state: 'waiting' });
      else await this.#sendRow(hashed);
    } catch (error) {
      if (controller.signal.aborted) this.#updateRow(row.id, { state: 'waiting', hashedBytes: 0 });
      else this.#updateRow(row.id, { state: 'failed', note: this.#ports.describeHashError(error) });
    } finally {
      this.#active.delete(row.id);
      this.#processWaiting();
    }
  }

  async #hashRow(row: QueueRow, signal: AbortSignal): Promise<HashedRow> {
    if (row.fingerprint !== undefined) return { ...row, fingerprint: row.fingerprint };
    const file = this.#files.get(row.id);
    if (!file) throw new Error('There is no file to hash.');
    this.#updateRow(row.id, { state: 'hashing', hashedBytes: 0 });
    const onProgress = ({ bytes }: { bytes: number }) => {
      const current = this.#rows.get(row.id);
      if (current) this.#rows.set(row.id, { ...current, hashedBytes: bytes });
      // Progress is not saved: a reload starts hashing again.
      this.#updateSummary();
    };
    const { fingerprint, size } = await this.#ports.hash(file, { signal, onProgress });
    this.#updateRow(row.id, { fingerprint, size });
    return { ...row, fingerprint, size };
  }

  /** Adds the perceptual hashes to a row; the service computes those of an uploaded file itself. */
  async #withCodes(row: HashedRow): Promise<HashedRow> {
    return needsUpload(row) ? row : { ...row, codes: await this.#rowCodes.prepare(row.id) };
  }

  async #sendRow(row: HashedRow): Promise<void> {
    const { id } = row;
    this.#updateRow(id, { state: 'sending' });
    const result = await this.#ports.send(row, needsUpload(row) ? this.#files.get(id) : undefined);
    if ('stopReason' in result) {
      this.#stopReason = result.stopReason;
      this.#updateRow(id, { state: 'waiting' });
      return;
    }
    const { state, note, isSignedCopy = false, copy, copyNote, similar = this.#rows.get(id)?.similar ?? [] } = result;
    // Stored first: a row that is not saved as sent finds its copy after a crash.
    const stored = copy && (await this.#signedCopies.store(id, copy));
    // Not needed any more, and long for recordings.
    const codes = state === 'failed' ? row.codes : undefined;
    this.#updateRow(id, { state, note, isSignedCopy, copyNote, similar, codes, ...stored });
    const sent = this.#rows.get(id);
    // Kept where the user can still ask for a signed copy.
    if (sent && state !== 'failed' && !canRequestCopy(sent)) this.#files.delete(id);
  }

  /** Removes finished rows, the oldest first, until `wanted` rows fit. Returns the room there is. */
  #makeRoom(wanted: number): number {
    for (const { id } of this.rows().filter(isFinished)) {
      if (MAX_ROWS - this.#rows.size >= wanted) break;
      this.#deleteRow(id);
    }
    return MAX_ROWS - this.#rows.size;
  }

  #attachFile(row: QueueRow, file: File | undefined): void {
    if (!file) return;
    if (row.copy !== 'needsFile' && row.state !== 'missing' && row.state !== 'failed') return;
    this.#files.set(row.id, file);
    if (row.copy === 'needsFile') void this.#signedCopies.create(row.id);
    // The service may have received a request of this row: with the same key it is recognized.
    if (row.state === 'missing') this.#updateRow(row.id, { state: 'waiting', fingerprint: undefined, hashedBytes: 0 });
    else if (row.state === 'failed') this.#resetRow(row);
  }

  #resetRow(row: QueueRow): void {
    this.#updateRow(row.id, {
      state: this.#files.has(row.id) ? 'waiting' : stateWithoutFile({ ...row, state: 'waiting' }),
      note: undefined,
      copyNote: undefined,
      hashedBytes: 0,
      // The service has responded to the old key already.
      idempotencyKey: this.#ports.createKey(),
    });
  }

  #isIdle(row: QueueRow): boolean {
    return (row.state === 'waiting' || row.state === 'missing') && !this.#active.has(row.id);
  }
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
