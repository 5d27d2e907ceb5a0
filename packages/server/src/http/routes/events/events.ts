// Routes of the feed of events.

import { api, type FeedEvent, MAX_WAIT_SECONDS } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate, type Caller } from '../../../domain/caller.js';
import {
  type FeedPiece,
  findFeedReader,
  findFeedStart,
  followFeed,
  limitReaders,
  readFeed,
} from '../../../domain/events/feed.js';
import type { Ports } from '../../../domain/ports/index.js';
import { bearerToken } from '../../authentication.js';
import type { HttpLimits } from '../../budgets/limits.js';
import type { CallOrigin } from '../../callOrigin.js';
import { EventStream } from '../../responses/streams.js';
import type { Router } from '../../router.js';

/** Time to respond after the longest wait. */
const AFTER_WAIT_MS = 20_000;
/** A stream ends after an hour, so that clients spread over the processes of the service. */
const MAX_STREAM_MS = 3_600_000;
/** Time to end a stream. */
const AFTER_STREAM_MS = 60_000;
/** Pause until a client connects again after the end of its stream. */
const RETRY_MS = 2_000;

/** The requests that wait for events or stream them. They must not delay a stop of the service. */
class FeedReadings {
  readonly #countReader = limitReaders();
  readonly #reading = new Set<AbortController>();

  /** The signal ends the reading: the client has left, the service stops, or it took too long. */
  start(caller: Caller, origin: CallOrigin, limitMs: number): { signal: AbortSignal; end: () => void } {
    const release = this.#countReader(caller);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), limitMs);
    this.#reading.add(controller);
    const end = () => {
      release();
      clearTimeout(timer);
      this.#reading.delete(controller);
    };
    const leave = () => {
      controller.abort();
      end();
    };
    if (origin.signal.aborted) leave();
    else origin.signal.addEventListener('abort', leave);
    return { signal: controller.signal, end };
  }

  abortAll(): void {
    for (const controller of this.#reading) controller.abort();
  }
}

export function eventRoutes(
  app: FastifyInstance,
  route: Router,
  ports: Ports,
  { stalledStreamMs }: Pick<HttpLimits, 'stalledStreamMs'>,
): void {
  const readings = new FeedReadings();
  app.addHook('preClose', async () => readings.abortAll());

  const authorizer = (request: FastifyRequest, origin: CallOrigin, organizationId: string | undefined) => async () =>
    findFeedReader(ports, await authenticate(ports, bearerToken(request), origin), organizationId);

  route(
    api.listEvents,
    async ({ caller, query }, origin, request) => {
      const { organizationId, wait = 0, ...page } = query;
      const first = await findFeedReader(ports, caller, organizationId);
      const { giveWay } = origin;
      if (wait === 0) return readFeed(ports, async () => first, { ...page, waitMs: 0, giveWay, signal: origin.signal });
      const { signal, end } = readings.start(caller, origin, wait * 1000);
      try {
        const authorize = authorizer(request, origin, organizationId);
        return await readFeed(ports, authorize, { ...page, waitMs: wait * 1000, giveWay, signal });
      } finally {
        end();
      }
    },
    { timeoutMs: MAX_WAIT_SECONDS * 1000 + AFTER_WAIT_MS },
  );

  route(
    api.streamEvents,
    async ({ caller, query, headers }, origin, request) => {
      const { organizationId } = query;
      await findFeedReader(ports, caller, organizationId);
      const lastId = headers['last-event-id'];
      const after = lastId === undefined ? undefined : await findFeedStart(ports, lastId);
      const { signal, end } = readings.start(caller, origin, MAX_STREAM_MS);
      const authorize = authorizer(request, origin, organizationId);
      const pieces = followFeed(ports, authorize, { after, signal });
      const disconnect = () => request.raw.socket.destroy();
      return new EventStream(formatStream(pieces, disconnect, stalledStreamMs), end);
    },
    { timeoutMs: MAX_STREAM_MS + AFTER_STREAM_MS },
  );
}

/** Takes a piece when the client has read those before it, except for what its connection holds. */
export async function* formatStream(
  pieces: AsyncIterable<FeedPiece>,
  disconnect: () => void,
  stalledStreamMs: number,
): AsyncGenerator<string> {
  let start = `retry: ${RETRY_MS}\n`;
  for await (const { events, position } of pieces) {
    // Without data, it is no event for the client, but it moves on.
    const text = events.length === 0 ? `id: ${position}\n\n` : events.map(formatEvent).join('');
    const stalled = setTimeout(disconnect, stalledStreamMs);
    try {
      yield start + text;
    } finally {
      clearTimeout(stalled);
    }
    start = '';
  }
}

function formatEvent(event: FeedEvent): string {
  return `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
