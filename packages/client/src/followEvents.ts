// Follows the feed of events over any number of connections.

import type { FeedEvent } from '@provenance-registry/core';
import type { RegistryClient } from './client.js';
import { defaultEnvironment, type Environment } from './environment.js';
import { ApiError, InvalidResponseError, ServiceUnreachableError } from './errors.js';
import { readServerSentEvents } from './eventStream.js';
import { loadResultChecks } from './responses.js';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/**
 * Options of {@link followEvents}.
 * @example
 * ```ts
 * const options: FollowOptions = { after: '1042', signal: AbortSignal.timeout(60_000) };
 * ```
 */
export interface FollowOptions {
  /** The position of the last event that was read, or `'0'` for everything. Default: only events from now on. */
  readonly after?: string | undefined;
  /** Only events of this organization. */
  readonly organizationId?: string | undefined;
  /** Ends it: the reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream is open, at first and after each interruption: events will arrive as they happen. */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * The events that the caller may see, as they happen. A stream that ends, or a service that cannot be reached, is tried again
 * until the signal aborts, from the last position on: no event is missed, and none comes twice.
 * @throws ApiError when the service refuses: the credential has ended, or the caller may not read the organization's events.
 * @example
 * ```ts
 * for await (const { type, data } of followEvents(client, { signal })) {
 *   if (type === 'artifact.submitted') console.log(`${data?.fingerprint} is on chain`);
 * }
 * ```
 */
export function followEvents(
  client: Pick<RegistryClient, 'streamEvents'>,
  options: FollowOptions = {},
): AsyncGenerator<FeedEvent> {
  return followEventsIn(defaultEnvironment, client, options);
}

async function* followEventsIn(
  { random, sleep }: Pick<Environment, 'random' | 'sleep'>,
  client: Pick<RegistryClient, 'streamEvents'>,
  { after, organizationId, signal, onOpen }: FollowOptions,
): AsyncGenerator<FeedEvent> {
  let position = after;
  let failures = 0;
  for (;;) {
    try {
      const stream = await client.streamEvents({ organizationId, lastEventId: position }, { signal });
      onOpen?.();
      for await (const { id, data } of readServerSentEvents(stream)) {
        failures = 0;
        if (data !== '') yield await parseEvent(data);
        position = id ?? position;
      }
    } catch (error) {
      signal?.throwIfAborted();
      // The service may not have noticed yet that the connection before was lost.
      const isOwnStream = error instanceof ApiError && error.code === 'CONFLICT' && position !== after;
      const isUnavailable = error instanceof ServiceUnreachableError && !error.isPermanent;
      if (!isOwnStream && !isUnavailable) throw error;
    }
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
    failures += 1;
    await sleep((delayMs * (1 + random())) / 2, signal);
  }
}

async function parseEvent(text: string): Promise<FeedEvent> {
  const { isFeedEvent } = await loadResultChecks();
  try {
    const event: unknown = JSON.parse(text);
    if (isFeedEvent(event)) return event;
  } catch {
    // Not JSON: the same error.
  }
  throw new InvalidResponseError('The service sent an event that does not have the documented form.');
}
