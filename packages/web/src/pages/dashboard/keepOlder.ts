// Lists with the newest first that are loaded page by page, when their first page is loaded again.

/** What of `shown` continues `latest`: nothing if entries between them may be missing. */
export function keepOlder<T extends { readonly id: string }>(latest: readonly T[], shown: readonly T[]): readonly T[] {
  const ids = new Set(latest.map(({ id }) => id));
  const older = shown.filter(({ id }) => !ids.has(id));
  return older.length < shown.length ? older : [];
}
