// The feed of events of the logged-in user, by one connection of the tab that its components share. It is open while a
// component listens, the user is logged in, and the tab is not hidden for long.

import { followEvents } from '@provenance-registry/client';
import type { FeedEvent } from '@provenance-registry/core';
import { createPageClient } from './registryClient.js';
import { getToken, isSessionExpired, subscribeToSession } from './session.js';
import { createStore } from './store.js';

/** Browsers open only six connections per host, for all tabs together: hidden tabs must not hold them. */
const HIDDEN_TAB_MS = 20_000;
/** Short interruptions are not shown. */
const GRACE_MS = 4_000;
/** Longest pause to resume after: beyond it, loading again takes less than all events in between. */
const MAX_RESUME_MS = 10 * 60_000;

/**
 * `interrupted`: the connection is lost, and tried again. `refused`: the service, or a proxy, does not let this page follow
 * the feed, and it is not tried again until the user asks for it.
 */
type StreamStatus = 'closed' | 'connecting' | 'live' | 'interrupted' | 'refused';

export interface EventListener {
  readonly onEvent: (event: FeedEvent) => void;
  /** The stream is open. With a gap, events since the last one may be missing: load again what they would change. */
  readonly onOpen: (hasGap: boolean) => void;
}

interface Connection {
  readonly token: string;
  readonly controller: AbortController;
}

export const streamStatus = createStore<StreamStatus>('closed');

const listeners = new Set<EventListener>();
let connection: Connection | undefined;
/** Position of the last event. Positions are the same for all users: the next connection continues after it. */
let position: string | undefined;
let closedAt = 0;
let isAsleep = false;
let sleepTimer: ReturnType<typeof setTimeout> | undefined;
let graceTimer: ReturnType<typeof setTimeout> | undefined;

subscribeToSession(update);
window.addEventListener('online', () => {
  if (streamStatus.get() === 'interrupted') reconnect();
});
document.addEventListener('visibilitychange', () => {
  clearTimeout(sleepTimer);
  if (document.visibilityState === 'hidden') sleepTimer = setTimeout(() => setAsleep(true), HIDDEN_TAB_MS);
  else setAsleep(false);
});

/** Returns a function that ends the subscription. */
export function subscribeToEvents(listener: EventListener): () => void {
  listeners.add(listener);
  update();
  return () => {
    listeners.delete(listener);
    update();
  };
}

/** Loads everything again, and connects again if the page is not live. */
export function refreshPage(): void {
  for (const listener of [...listeners]) listener.onOpen(true);
  if (streamStatus.get() !== 'live') reconnect();
}

function setAsleep(value: boolean): void {
  isAsleep = value;
  update();
}

function reconnect(): void {
  close();
  update();
}

/** Opens or closes the connection, whichever is due. */
function update(): void {
  const token = isSessionExpired() ? undefined : getToken();
  const isNeeded = listeners.size > 0 && !isAsleep;
  if (connection && (!isNeeded || connection.token !== token)) close();
  if (connection || !isNeeded || token === undefined) return;
  if (Date.now() - closedAt > MAX_RESUME_MS) position = undefined;
  connection = { token, controller: new AbortController() };
  void follow(connection);
}

function close(): void {
  connection?.controller.abort();
  connection = undefined;
  closedAt = Date.now();
  clearTimeout(graceTimer);
  streamStatus.set('closed');
}

async function follow(current: Connection): Promise<void> {
  const { signal } = current.controller;
  const client = createPageClient(() => current.token);
  let isFirst = true;
  const onOpen = () => {
    clearTimeout(graceTimer);
    streamStatus.set('live');
    const hasGap = isFirst && position === undefined;
    isFirst = false;
    for (const listener of [...listeners]) listener.onOpen(hasGap);
  };
  try {
    const streams: Pick<typeof client, 'streamEvents'> = {
      streamEvents: (input, options) => {
        awaitConnection();
        return client.streamEvents(input, options);
      },
    };
    for await (const event of followEvents(streams, { after: position, signal, onOpen })) {
      position = event.position;
      for (const listener of [...listeners]) listener.onEvent(event);
    }
  } catch {
    // After an expired session, the session closes it and the next one opens it.
    if (signal.aborted) return;
    clearTimeout(graceTimer);
    streamStatus.set('refused');
  }
}

function awaitConnection(): void {
  clearTimeout(graceTimer);
  if (streamStatus.get() === 'interrupted') return;
  streamStatus.set('connecting');
  graceTimer = setTimeout(() => streamStatus.set('interrupted'), GRACE_MS);
}
