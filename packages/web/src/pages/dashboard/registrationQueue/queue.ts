// The list of files and the work on it: eight at once are hashed and sent. It lives outside React, which is told once a
// frame, however much has happened.

import type { Hashed, HashOptions } from '@provenance-registry/client';
import { type Candidate, identityOf, isFinished, isOnItsWay, type Row, type RowState } from './queueRow.js';

/** The specification calls four to eight creations at once safe. */
const IN_FLIGHT = 8;
/** What a page can show without effort and a browser's storage can hold. */
export const MAX_ROWS = 1000;

/** Why the work stands still although it was started. */
export type Halt = 'login' | 'network' | { readonly limitOf: string };

export type Hashing = (file: Blob, options: HashOptions) => Promise<Hashed>;
/** A row that can be sent. */
export type HashedRow = Row & { readonly fingerprint: NonNullable<Row['fingerprint']> };
/** What became of a row that was sent, or why none can be sent now. */
export type Outcome = { readonly state: RowState; readonly note?: string | undefined } | { readonly halt: Halt };

export interface QueuePorts {
  readonly hash: Hashing;
  readonly send: (row: HashedRow) => Promise<Outcome>;
  /** Why a file could not be read, as a sentence. */
  readonly explain: (error: unknown) => string;
  readonly newKey: () => string;
  /** Does it soon, as a page does before it paints. */
  readonly soon: (work: () => void) => void;
  /** Told at once of every change that is worth keeping. */
  readonly onChange: () => void;
}

export interface Summary {
  readonly rows: readonly Row[];
  readonly counts: Readonly<Record<RowState, number>>;
  readonly isRunning: boolean;
  readonly halt: Halt | undefined;
}

export interface Added {
  readonly added: number;
  /** Were in the list before. */
  readonly known: number;
  /** Found no place. */
  readonly left: number;
}

const none: Readonly<Record<RowState, number>> = {
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

export function createQueue({ hash, send, explain, newKey, soon, onChange }: QueuePorts) {
  const rows = new Map<string, Row>();
  const files = new Map<string, File>();
  const atWork = new Map<string, AbortController>();
  const listeners = new Set<() => void>();
  let isRunning = false;
  let halt: Halt | undefined;
  let summary: Summary = summarize();
  let isTelling = false;

  function summarize(): Summary {
    const counts = { ...none };
    for (const { state } of rows.values()) counts[state] += 1;
    return { rows: [...rows.values()], counts, isRunning, halt };
  }

  function tell(): void {
    if (isTelling) return;
    isTelling = true;
    soon(() => {
      isTelling = false;
      summary = summarize();
      for (const listener of listeners) listener();
    });
  }

  function changed(): void {
    onChange();
    tell();
  }

  function change(id: string, changes: Partial<Row>): void {
    const row = rows.get(id);
    if (!row) return;
    rows.set(id, { ...row, ...changes });
    changed();
  }

  function forget(id: string): void {
    atWork.get(id)?.abort();
    rows.delete(id);
    files.delete(id);
  }

  /** Gives free hands work, and notices when there is none left. */
  function goOn(): void {
    if (!isRunning || halt !== undefined) return;
    for (const row of rows.values()) {
      if (atWork.size >= IN_FLIGHT) return;
      if (row.state === 'waiting' && !atWork.has(row.id)) void work(row);
    }
    if (atWork.size > 0) return;
    isRunning = false;
    changed();
  }

  async function work(row: Row): Promise<void> {
    const stop = new AbortController();
    atWork.set(row.id, stop);
    try {
      const hashed = await fingerprinted(row, stop.signal);
      // Paused or removed in the meantime: what is known stays known, and nothing is sent.
      if (stop.signal.aborted || halt !== undefined) change(row.id, { state: 'waiting' });
      else await sent(hashed);
    } catch (error) {
      if (stop.signal.aborted) change(row.id, { state: 'waiting', hashedBytes: 0 });
      else change(row.id, { state: 'failed', note: explain(error) });
    } finally {
      atWork.delete(row.id);
      goOn();
    }
  }

  async function fingerprinted(row: Row, signal: AbortSignal): Promise<HashedRow> {
    const { fingerprint } = row;
    if (fingerprint !== undefined) return { ...row, fingerprint };
    const file = files.get(row.id);
    if (!file) throw new Error('There is no file to hash.');
    change(row.id, { state: 'hashing', hashedBytes: 0 });
    const onProgress = ({ bytes }: { bytes: number }) => {
      const hashing = rows.get(row.id);
      if (hashing) rows.set(row.id, { ...hashing, hashedBytes: bytes });
      // Not worth keeping: who leaves begins anew.
      tell();
    };
    const hashed = await hash(file, { signal, onProgress });
    change(row.id, { fingerprint: hashed.fingerprint, size: hashed.size });
    return { ...row, fingerprint: hashed.fingerprint, size: hashed.size };
  }

  async function sent(row: HashedRow): Promise<void> {
    change(row.id, { state: 'sending' });
    const outcome = await send(row);
    if ('halt' in outcome) {
      halt = outcome.halt;
      change(row.id, { state: 'waiting' });
      return;
    }
    if (outcome.state !== 'failed') files.delete(row.id);
    change(row.id, { state: outcome.state, note: outcome.note });
  }

  /** The oldest of what needs nothing any more goes, when there is no room. */
  function makeRoom(wanted: number): number {
    const finished = [...rows.values()].filter(isFinished);
    for (const { id } of finished) {
      if (MAX_ROWS - rows.size >= wanted) break;
      forget(id);
    }
    return MAX_ROWS - rows.size;
  }

  function add(markId: string, candidates: readonly Candidate[]): Added {
    const known = new Map([...rows.values()].map((row) => [identityOf(row), row]));
    const fresh: Candidate[] = [];
    for (const candidate of candidates) {
      const before = known.get(identityOf(candidate));
      if (before) giveFile(before, candidate.file);
      else fresh.push(candidate);
    }
    const room = makeRoom(fresh.length);
    for (const { file, ...candidate } of fresh.slice(0, room)) {
      const id = newKey();
      rows.set(id, {
        ...candidate,
        id,
        markId,
        state: 'waiting',
        hashedBytes: 0,
        note: undefined,
        idempotencyKey: newKey(),
      });
      if (file) files.set(id, file);
    }
    changed();
    goOn();
    const added = Math.min(fresh.length, room);
    return { added, known: candidates.length - fresh.length, left: fresh.length - added };
  }

  function giveFile(row: Row, file: File | undefined): void {
    if (!file) return;
    if (row.state === 'missing' || row.state === 'failed') {
      files.set(row.id, file);
      retryRow(row);
    }
  }

  function retryRow(row: Row): void {
    const canGoOn = row.fingerprint !== undefined || files.has(row.id);
    // Something was answered before; what follows is another request.
    change(row.id, {
      state: canGoOn ? 'waiting' : 'missing',
      note: undefined,
      hashedBytes: 0,
      idempotencyKey: newKey(),
    });
  }

  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    summary: () => summary,
    rows: () => [...rows.values()],
    add,

    /** Puts rows from before in front, as they are. */
    restore(earlier: readonly Row[]): void {
      const now = [...rows];
      rows.clear();
      for (const row of earlier) rows.set(row.id, row);
      for (const [id, row] of now) rows.set(id, row);
      makeRoom(0);
      changed();
    },

    start(): void {
      isRunning = true;
      halt = undefined;
      changed();
      goOn();
    },

    /** Stops hashing; what was sent is waited for. */
    pause(): void {
      isRunning = false;
      for (const [id, stop] of atWork) if (rows.get(id)?.state === 'hashing') stop.abort();
      changed();
    },

    /** From outside, as when the token has gone. */
    stopFor(why: Halt): void {
      if (!isRunning) return;
      halt = why;
      changed();
    },

    /** When what it stood still for is over. */
    goOnAfter(why: 'login' | 'network'): void {
      if (halt !== why) return;
      halt = undefined;
      changed();
      goOn();
    },

    retry(id?: string): void {
      const failed = [...rows.values()].filter((row) => row.state === 'failed' && (id === undefined || row.id === id));
      for (const row of failed) retryRow(row);
      goOn();
    },

    /** For everything that waits for its turn. */
    setMark(markId: string): void {
      for (const row of rows.values()) {
        const isFree = (row.state === 'waiting' || row.state === 'missing') && !atWork.has(row.id);
        // Another request than the one before, if there was one.
        if (isFree && row.markId !== markId) change(row.id, { markId, idempotencyKey: newKey() });
      }
    },

    /** Not while it is being sent: nobody could say then what became of it. */
    remove(id: string): void {
      if (rows.get(id)?.state === 'sending') return;
      forget(id);
      changed();
      goOn();
    },

    clear(): void {
      for (const row of rows.values()) if (isFinished(row)) forget(row.id);
      changed();
    },

    /** What the chain says of some of them. */
    update(changes: ReadonlyMap<string, Pick<Row, 'state' | 'note'>>): void {
      for (const row of rows.values()) {
        const next = row.fingerprint && changes.get(row.fingerprint);
        if (next && isOnItsWay(row) && next.state !== row.state) change(row.id, next);
      }
    },
  };
}

/** Leaving the page now would lose something: a choice of files, or an answer. */
export function losesByLeaving(rows: readonly Row[]): boolean {
  return rows.some(
    ({ state, fingerprint }) =>
      state === 'hashing' || state === 'sending' || (state === 'waiting' && fingerprint === undefined),
  );
}
