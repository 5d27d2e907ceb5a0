// The turns of requests whose operations have no budget of their own: one client has only a few in the database at once, so
// that its connections, however many, do not delay those of others.

import { FairLimit } from '../../workers/fairLimit.js';
import type { HttpLimits } from './limits.js';

export function createRequestTurns({ waitingRequests, waitingRequestsPerClient }: HttpLimits): FairLimit {
  return new FairLimit({
    name: 'requests',
    // Leaves two of the connections to the database to lookups and creations, which batch theirs.
    maxRunning: 8,
    // As many as keep the database busy while the results of others are written.
    maxRunningPerClient: 3,
    // More of them share statements.
    maxRunningAlone: 32,
    // For no longer than the time limits of their operations.
    maxWaiting: waitingRequests,
    maxWaitingPerClient: waitingRequestsPerClient,
    maxWaitingPerLane: waitingRequestsPerClient,
  });
}
