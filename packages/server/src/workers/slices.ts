// Shares the time of this thread between clients, whose turn comes by turns. In one turn of the event loop a few requests
// begin, or one slice runs of what takes longer than a few milliseconds; then the loop serves everything that has arrived.

import { FairLimit } from './fairLimit.js';

/**
 * A lookup takes 50 µs until it first waits for something, others up to some tenths of a millisecond. With half as many, lookups
 * of many clients share fewer statements: that took a sixth of their rate.
 */
const REQUESTS_IN_A_TURN = 32;
/** As many as there may be connections. */
const MAX_WAITING = 16_384;

const limit = new FairLimit({
  name: 'slices',
  maxRunning: REQUESTS_IN_A_TURN,
  maxRunningPerClient: REQUESTS_IN_A_TURN,
  maxWaiting: MAX_WAITING,
  maxWaitingPerClient: MAX_WAITING,
  maxWaitingPerLane: MAX_WAITING,
});

/** Runs the slice when it is its turn. It should take two milliseconds at most. */
export function runSlice<T>(client: string, slice: () => T): Promise<T> {
  return limit.run({ client, weight: REQUESTS_IN_A_TURN }, async () => {
    const result = slice();
    await new Promise(setImmediate);
    return result;
  });
}

/** Resolves when a request of the client may begin: at once while there are no other clients. */
export async function waitToBegin(client: string): Promise<void> {
  if (limit.isAlone(client)) return;
  const endTurn = await limit.acquire({ client });
  setImmediate(endTurn);
}

/** Maps a long list, so many items in a slice. */
export async function mapInSlices<T, R>(
  client: string,
  items: readonly T[],
  itemsPerSlice: number,
  map: (item: T) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += itemsPerSlice) {
    const slice = items.slice(start, start + itemsPerSlice);
    results.push(...(await runSlice(client, () => slice.map(map))));
  }
  return results;
}
