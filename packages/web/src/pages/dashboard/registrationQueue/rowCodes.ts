// The codes of the queue's files: computed in the background while files wait, to tell which look like older registrations
// of others, and sent with them. Hashing and sending do not depend on them.

import type { PerceptualHashes } from '@provenance-registry/client';
import { limitConcurrency, type Mark } from '@provenance-registry/core';
import type { QueueRow, RowCodes, SimilarFile } from './queueRow.js';

/** Each uses a core and may hold a decoded image: hashing needs cores too. */
const MAX_COMPUTED = 2;
/** Searches have a budget for each client. */
const MAX_SEARCHES = 2;

export type ComputeCodes = (file: Blob) => Promise<PerceptualHashes>;
/** Older files that are near-identical. Rejects when the service cannot search now. */
export type FindSimilar = (codes: RowCodes) => Promise<readonly (SimilarFile & { readonly markId: string })[]>;
export type KnownMark = Pick<Mark, 'id' | 'visibility'>;

export interface ComparisonProgress {
  readonly done: number;
  readonly total: number;
  /** Files that could not be compared, because the service did not search. */
  readonly failed: number;
}

interface RowCodesPorts {
  readonly rows: ReadonlyMap<string, QueueRow>;
  readonly files: ReadonlyMap<string, File>;
  readonly computeCodes: ComputeCodes;
  readonly findSimilar: FindSimilar;
  readonly updateRow: (id: string, changes: Partial<QueueRow>) => void;
}

interface Comparison {
  readonly codes: Promise<RowCodes | undefined>;
  state: 'running' | 'done' | 'failed';
}

export function createRowCodes({ rows, files, computeCodes, findSimilar, updateRow }: RowCodesPorts) {
  const neverFull = () => new Error('A queue without a limit is never full.');
  const limitComputing = limitConcurrency(MAX_COMPUTED, Number.POSITIVE_INFINITY, neverFull);
  const limitSearches = limitConcurrency(MAX_SEARCHES, Number.POSITIVE_INFINITY, neverFull);
  const comparisons = new Map<string, Comparison>();
  /** Undefined until the page tells. */
  let isOn: boolean | undefined;
  /** Empty until the page knows them: no codes are sent for a Mark that may be private. */
  let marks: readonly KnownMark[] = [];

  function isWanted({ markId }: QueueRow): boolean {
    return isOn === true && marks.some(({ id, visibility }) => id === markId && visibility === 'public');
  }

  function compare(row: QueueRow, file: File): Comparison {
    const codes = limitComputing(async () => {
      const current = rows.get(row.id);
      return current && isWanted(current) ? toRowCodes(await computeCodes(file)) : undefined;
    }).catch(() => undefined);
    const comparison: Comparison = { codes, state: 'running' };
    comparisons.set(row.id, comparison);
    void finish(row.id, comparison);
    return comparison;
  }

  async function finish(id: string, comparison: Comparison): Promise<void> {
    const codes = await comparison.codes;
    if (codes && rows.has(id)) updateRow(id, { codes });
    let similar: readonly SimilarFile[] = [];
    try {
      if (codes && isWaiting(id)) similar = await limitSearches(() => search(id, codes));
      comparison.state = 'done';
    } catch {
      comparison.state = 'failed';
    }
    if (isWaiting(id)) updateRow(id, { similar });
  }

  /** A registration tells by itself what the file looks like. */
  function isWaiting(id: string): boolean {
    const state = rows.get(id)?.state;
    return state === 'waiting' || state === 'hashing';
  }

  async function search(id: string, codes: RowCodes): Promise<readonly SimilarFile[]> {
    if (!isWaiting(id)) return [];
    const found = await findSimilar(codes);
    return found
      .filter(({ markId }) => marks.every((own) => own.id !== markId))
      .map(({ fingerprint, markName, registeredAt }) => ({ fingerprint, markName, registeredAt }));
  }

  return {
    /** Compares the files that wait and were not compared yet. */
    compareWaiting(): void {
      for (const row of rows.values()) {
        const file = files.get(row.id);
        if (file && row.state === 'waiting' && isWanted(row) && !comparisons.has(row.id)) compare(row, file);
      }
    },

    /** The codes to send; undefined when the file has none, or none are wanted. */
    async prepare(id: string): Promise<RowCodes | undefined> {
      const row = rows.get(id);
      if (!row || !isWanted(row)) return undefined;
      const file = files.get(id);
      const comparison = comparisons.get(id) ?? (file && compare(row, file));
      const codes = comparison ? await comparison.codes : row.codes;
      return isWanted(rows.get(id) ?? row) ? codes : undefined;
    },

    /** @returns the waiting rows whose request changes, because the user has changed the switch */
    configure(wanted: { readonly isOn: boolean; readonly marks: readonly KnownMark[] }): string[] {
      const wasOn = isOn;
      isOn = wanted.isOn;
      marks = wanted.marks;
      if (wasOn === undefined || wasOn === isOn) return [];
      return [...rows.values()].flatMap(({ id, state }) => (state === 'waiting' ? id : []));
    },

    drop(id: string): void {
      comparisons.delete(id);
    },

    progress(): ComparisonProgress {
      const waiting = [...comparisons].filter(([id]) => isWaiting(id));
      const count = (state: Comparison['state']) => waiting.filter(([, one]) => one.state === state).length;
      return { done: waiting.length - count('running'), total: waiting.length, failed: count('failed') };
    },
  };
}

function toRowCodes({ hashes, chromaprint }: PerceptualHashes): RowCodes | undefined {
  if (hashes) return hashes;
  return chromaprint === undefined ? undefined : { chromaprint };
}
