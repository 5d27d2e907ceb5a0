// The turns of requests that need their whole file in memory: those of a client that sends many at once are read one after the
// other, as many together as fit, instead of refused when the memory is used up.

import { FairLimit } from '../../workers/fairLimit.js';
import type { HttpLimits } from './limits.js';

/** By the address of clients without credentials, and by account. */
export interface FileTurns {
  readonly public: FairLimit;
  readonly users: FairLimit;
}

/** Of one client: more than browsers and parallel uploaders open. */
const MAX_WAITING_PER_CLIENT = 32;
/** Less than the lifetime of a connection without traffic. */
const MAX_WAIT_MS = 110_000;

/** The weight of a turn is the number of bytes that may be buffered. */
export function createFileTurns({ bodyMemoryBytes, publicMemoryBytes, uploads }: HttpLimits): FileTurns {
  const create = (name: string, bytesPerClient: number) =>
    new FairLimit({
      name,
      // A slow client must not keep out the others: between clients, the memory itself decides.
      maxRunning: Number.POSITIVE_INFINITY,
      maxRunningPerClient: bytesPerClient,
      maxWaiting: uploads,
      maxWaitingPerClient: MAX_WAITING_PER_CLIENT,
      maxWaitingPerLane: MAX_WAITING_PER_CLIENT,
      maxWaitMs: MAX_WAIT_MS,
    });
  return { public: create('public-files', publicMemoryBytes), users: create('files', bodyMemoryBytes) };
}
