// The turns of requests whose operations have no budget of their own: one client has only a few in the database at once, so
// that its connections, however many, do not delay those of others.

import { FairLimit } from '../../workers/fairLimit.js';

export function createRequestTurns(): FairLimit {
  return new FairLimit({
    name: 'requests',
    // Leaves two of the connections to the database to lookups and creations, which batch theirs.
    maxRunning: 8,
    // As many as keep the database busy while the results of others are written.
    maxRunningPerClient: 3,
    // A waiting request has a body of some kilobytes, and the time limit of its operation.
    maxWaiting: 4_000,
    maxWaitingPerClient: 1_000,
    maxWaitingPerLane: 1_000,
  });
}
