// Collects the pages of a paginated list.

/** The service's limit. */
const MAX_PAGE_SIZE = 200;

/** `field` is where a page has its items. */
export async function collectPages<Field extends string, T>(
  field: Field,
  maxCount: number,
  fetchPage: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<Readonly<Record<Field, readonly T[]>> & { readonly nextCursor: string | null }>,
): Promise<T[]> {
  const collected: T[] = [];
  let cursor: string | null | undefined;
  while (collected.length < maxCount && cursor !== null) {
    const limit = Math.min(maxCount - collected.length, MAX_PAGE_SIZE);
    const page = await fetchPage({ limit, cursor });
    collected.push(...page[field]);
    cursor = page.nextCursor;
  }
  return collected;
}
