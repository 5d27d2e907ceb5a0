// The signed copies of the queue's rows: created for registered files, stored, found again after a crash, and handed out.

import type { CopyStorage } from './copyStorage.js';
import type { HashedRow, QueueRow } from './queueRow.js';

export const ONLY_IN_TAB_NOTE = 'Download the signed copy before you close this page: your browser could not store it.';
const LOST_NOTE = 'The signed copy was not saved before the page was closed. You can get another one.';
const REVOKED_NOTE = 'Do not use a signed copy of this attempt: it is not registered either.';

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

    /** For a registered file; asks for its content if that is not at hand. */
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
      if (!copy) updateRow(id, { copy: undefined, copyNote: LOST_NOTE });
      return copy;
    },

    /** For a row that is removed. */
    drop(id: string): void {
      if (rows.get(id)?.copy !== undefined) copies.delete(id);
    },

    /** For a registration that failed on chain, and its copies with it. */
    revoke({ id, copy }: QueueRow): Pick<QueueRow, 'copy' | 'copyNote'> | undefined {
      if (copy === undefined) return undefined;
      copies.delete(id);
      return { copy: undefined, copyNote: REVOKED_NOTE };
    },
  };
}

/** After a crash, a copy may be stored that its row does not know of, or be missing although its row expects it. */
function compareWithStored({ state, copy }: QueueRow, isStored: boolean): Partial<QueueRow> | undefined {
  const isExpected = copy === 'ready' || copy === 'downloaded';
  if (isStored && isExpected) return undefined;
  // The service returns a copy only of a file that it has recorded.
  if (isStored) return { copy: 'ready', state: state === 'missing' ? 'pending' : state };
  return isExpected || copy === 'creating' ? { copy: undefined, copyNote: LOST_NOTE } : undefined;
}
