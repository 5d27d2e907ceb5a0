// The turns of requests that need their whole file in memory: as many files together as fit are read, and the others wait,
// instead of being refused when the memory is used up. A client has only a few of them at once, and a slow one keeps no others
// waiting for long.

import { FairLimit } from '../../workers/fairLimit.js';
import type { CallOrigin } from '../callOrigin.js';
import type { HttpLimits } from './limits.js';

/** Resolves when the file may be received: so many bytes, without credentials or with them. */
export type TakeFileTurn = (origin: CallOrigin, bytes: number, options: { isPublic: boolean }) => Promise<void>;

/** Of one client: more than browsers and parallel uploaders open. */
const MAX_WAITING_PER_CLIENT = 32;
/** Less than the lifetime of a connection without traffic. */
const MAX_WAIT_MS = 110_000;
/** The rest is for bodies of JSON, which would take the place of a file. */
const PART_FOR_FILES = 0.9;

/** By the address of clients without credentials, and by account. The weight of a turn is the number of bytes. */
export function createFileTurns(limits: HttpLimits): TakeFileTurn {
  const { bodyMemoryBytes, publicMemoryBytes, uploads, fileTurnMs } = limits;
  const create = (name: string, bytesPerClient: number, bytes = Number.POSITIVE_INFINITY) =>
    new FairLimit({
      name,
      maxRunning: bytes,
      maxRunningPerClient: bytesPerClient,
      maxWaiting: uploads,
      maxWaitingPerClient: MAX_WAITING_PER_CLIENT,
      maxWaitingPerLane: MAX_WAITING_PER_CLIENT,
      maxWaitMs: MAX_WAIT_MS,
    });
  const memoryBytes = PART_FOR_FILES * bodyMemoryBytes;
  const ofClient = { public: create('public-files', publicMemoryBytes), user: create('files', bodyMemoryBytes) };
  const ofAll = create('files-of-all', memoryBytes, memoryBytes);
  const ofPublic = create('public-files-of-all', publicMemoryBytes, publicMemoryBytes);
  return async (origin, bytes, { isPublic }) => {
    await origin.takeTurn(isPublic ? ofClient.public : ofClient.user, { weight: bytes });
    // From then on, the memory decides between the file and those of others.
    const shared = { weight: bytes, receiveMs: fileTurnMs };
    if (isPublic) await origin.takeTurn(ofPublic, shared);
    await origin.takeTurn(ofAll, shared);
  };
}
