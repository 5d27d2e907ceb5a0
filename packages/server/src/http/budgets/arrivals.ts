// The order in which requests begin, whatever their path: those of clients in turn, so that one with many connections delays
// others by a few of its requests, not by all. What requests need after that, they wait for in the turns of their operations.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';
import { waitToBegin } from '../../workers/slices.js';
import { clientOf } from '../callOrigin.js';

/** By address: which account it is costs a query. */
export function beginInTurns(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    await waitToBegin(clientOf(request));
    if (reply.raw.destroyed) throw new RegistryError('BAD_REQUEST', 'The client closed the connection.');
  });
}
