// Lists that the service gives page by page.

/** The largest page that the service gives. */
const MAX_PAGE = 200;

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** The first so many of them. */
export async function collectPages<T>(
  most: number,
  next: (page: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<T>>,
): Promise<T[]> {
  const collected: T[] = [];
  let cursor: string | undefined;
  while (collected.length < most) {
    const { items, nextCursor } = await next({ limit: Math.min(most - collected.length, MAX_PAGE), cursor });
    collected.push(...items);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return collected;
}
