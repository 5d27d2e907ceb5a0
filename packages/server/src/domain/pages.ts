// Pages of lists: where one ends, and where the next one goes on.

import { unexpectedValueError } from './errors.js';

const DEFAULT_PAGE_SIZE = 50;

export interface PageRequest {
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * Reads a page of rows, and one more, which tells whether there is a next page. Throws BAD_REQUEST when `read` returns
 * undefined: the cursor is none of this list.
 */
export async function readPage<Row extends { readonly id: string }>(
  { limit = DEFAULT_PAGE_SIZE, cursor }: PageRequest,
  read: (limit: number, cursor: string | undefined) => Promise<Row[] | undefined>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const found = await read(limit + 1, cursor);
  if (!found) throw unexpectedValueError('cursor', 'nextCursor of another page of this list');
  const rows = found.slice(0, limit);
  return { rows, nextCursor: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
