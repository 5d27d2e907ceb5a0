// Collects the pages of a paginated list.

/** The service's limit. */
const MAX_PAGE_SIZE = 200;

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export async function collectPages<T>(
  maxCount: number,
  fetchPage: (page: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<T>>,
): Promise<T[]> {
  const collected: T[] = [];
  let cursor: string | undefined;
  while (collected.length < maxCount) {
    const { items, nextCursor } = await fetchPage({
      limit: Math.min(maxCount - collected.length, MAX_PAGE_SIZE),
      cursor,
    });
    collected.push(...items);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return collected;
}
