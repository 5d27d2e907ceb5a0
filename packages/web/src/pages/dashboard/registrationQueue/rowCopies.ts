// The signed copies of the queue's rows: created for registered files, stored, found again after a crash, and handed out.

import * as texts from '#texts/artifacts/register';
import type { CopyStorage } from './copyStorage.js';
import type { HashedRow, QueueRow } from './queueRow.js';

export const ONLY_IN_TAB_NOTE = texts.copyOnlyInTab;

/** Creates a signed copy of a registered file. Returns it, or why there is none, as a sentence. */
export type CreateCopy = (
  row: HashedRow,
  file: File,
) => Promise<{ readonly copy: Blob } | { readonly problem: string }>;

interface RowCopiesPorts {
  readonly rows: ReadonlyMap<string, QueueRow>;
  readonly files: ReadonlyMap<string, File>;
  readonly copies: CopyStorage;
  readonly createCopy: CreateCopy;
  readonly updateRow: (id: string, changes: Partial<QueueRow>) => void;
}

export function createRowCopies({ rows, files, copies, createCopy, updateRow }: RowCopiesPorts) {
  async function store(id: string, copy: Blob): Promise<Pick<QueueRow, 'copy' | 'copyNote'>> {
    const isPersistent = await copies.put(id, copy);
    return { copy: 'ready', copyNote: isPersistent ? undefined : ONLY_IN_TAB_NOTE };
  }

  return {
    store,

    /** Makes the copy of a registered file; asks for its content if that is not at hand. */
    async create(id: string): Promise<void> {
      const row = rows.get(id);
      const file = files.get(id);
      if (row?.fingerprint === undefined || !file) {
        updateRow(id, { copy: 'needsFile', copyNote: undefined });
        return;
      }
      updateRow(id, { copy: 'creating', copyNote: undefined });
      const result = await createCopy({ ...row, fingerprint: row.fingerprint }, file);
      updateRow(id, 'copy' in result ? await store(id, result.copy) : { copy: undefined, copyNote: result.problem });
    },

    async findStored(restored: readonly QueueRow[]): Promise<void> {
      const stored = await copies.ids();
      for (const row of restored) {
        const changes = compareWithStored(row, stored.has(row.id));
        if (changes) updateRow(row.id, changes);
      }
    },

    /** Undefined when the browser has lost it, and then the row says so. */
    async read(id: string): Promise<Blob | undefined> {
      const copy = await copies.get(id);
      if (!copy) updateRow(id, { copy: undefined, copyNote: texts.copyLost });
      return copy;
    },

    /** Forgets the copy of a row that is removed. */
    drop(id: string): void {
      if (rows.get(id)?.copy !== undefined) copies.delete(id);
    },

    /** Drops the copy of a registration that failed on chain. */
    revoke({ id, copy }: QueueRow): Pick<QueueRow, 'copy' | 'copyNote'> | undefined {
      if (copy === undefined) return undefined;
      copies.delete(id);
      return { copy: undefined, copyNote: texts.copyRevoked };
    },
  };
}

/** After a crash, a copy may be stored that its row does not know of, or be missing although its row expects it. */
function compareWithStored({ state, copy }: QueueRow, isStored: boolean): Partial<QueueRow> | undefined {
  const isExpected = copy === 'ready' || copy === 'downloaded';
  if (isStored && isExpected) return undefined;
  // The service returns a copy only of a file that it has recorded.
  if (isStored) return { copy: 'ready', state: state === 'missing' ? 'pending' : state };
  return isExpected || copy === 'creating' ? { copy: undefined, copyNote: texts.copyLost } : undefined;
}
