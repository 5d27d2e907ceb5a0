// Work of this thread that takes longer than a few milliseconds, cut into slices. One slice runs between two turns of the event
// loop, which then serves everything that has arrived; slices go to clients in turn.

import { FairLimit } from './fairLimit.js';

/** As many as there may be connections: whoever waits here has been accepted by another budget. */
const MAX_WAITING = 16_384;

const limit = new FairLimit({
  name: 'slices',
  maxRunning: 1,
  maxRunningPerClient: 1,
  maxWaiting: MAX_WAITING,
  maxWaitingPerClient: MAX_WAITING,
  maxWaitingPerLane: MAX_WAITING,
});

/** Runs the slice when it is its turn. It should take two milliseconds at most. */
export function runSlice<T>(client: string, slice: () => T): Promise<T> {
  return limit.run({ client }, async () => {
    const result = slice();
    await new Promise(setImmediate);
    return result;
  });
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
