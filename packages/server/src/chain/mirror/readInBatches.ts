// Reads much from a node in few requests, without flooding it.

/** The JSON-RPC client sends calls of one tick as one request of this many. */
const BATCH_SIZE = 100;
/** Keeps a node busy while results are parsed. */
const MAX_CONCURRENT_BATCHES = 2;

/** The results are in the order of the items. */
export async function readInBatches<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[][] = [];
  let next = 0;
  async function readNext(): Promise<void> {
    while (next < items.length) {
      const start = next;
      next += BATCH_SIZE;
      results[start / BATCH_SIZE] = await Promise.all(items.slice(start, start + BATCH_SIZE).map(read));
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_BATCHES }, readNext));
  return results.flat();
}
