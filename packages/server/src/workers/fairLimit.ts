// Limits how much expensive work runs at once and how much may wait, fairly between clients: each client has its own
// budget, free slots go to the clients in turn, and within a client to its lanes in turn (a lane is one account, say).
// When the queue is full, the one with the most waiting work makes room for the others.

import { RegistryError } from '@provenance-registry/core';
import { refusedWork } from '../monitoring/metrics.js';

export interface FairLimitOptions {
  /** Of the budget, in the metrics. */
  readonly name: string;
  readonly maxRunning: number;
  readonly maxRunningPerClient: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingPerLane: number;
  /** Work that has waited for so long is given up; by default it waits until its turn. */
  readonly maxWaitMs?: number;
}

export interface Requester {
  readonly client: string;
  readonly lane?: string | undefined;
  /** Takes waiting work out of the queue: it rejects with the signal's reason and never starts. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs the work when it is its turn. Rejects with UNAVAILABLE if a budget is used up. */
export type FairLimit = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>;

interface Waiter {
  start(): void;
  reject(reason: unknown): void;
}

type Lane = Waiter[];

interface ClientState {
  running: number;
  waiting: number;
  /** Waiting work. The lane whose turn it is comes first. */
  readonly lanes: Map<string, Lane>;
}

export function createFairLimit(options: FairLimitOptions): FairLimit {
  /** Clients with running or waiting work. The client whose turn it is comes first. */
  const clients = new Map<string, ClientState>();
  let running = 0;
  let waiting = 0;
  refusedWork.inc({ budget: options.name }, 0);

  function createRefusalError(): RegistryError {
    refusedWork.inc({ budget: options.name });
    return new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.');
  }

  function mayStart(state: ClientState): boolean {
    return running < options.maxRunning && state.running < options.maxRunningPerClient;
  }

  /** Makes room for one more in this lane, or throws. What came last gives way. */
  function makeRoom(state: ClientState, lane: Lane): void {
    if (lane.length >= options.maxWaitingPerLane) throw createRefusalError();
    const isClientFull = state.waiting >= options.maxWaitingPerClient;
    if (!isClientFull && waiting < options.maxWaiting) return;
    const busiest = isClientFull ? state : (longestOf([...clients.values()], (other) => other.waiting) ?? state);
    const isOther = busiest.waiting > state.waiting + 1;
    const longest = longestLane(isOther ? busiest : state);
    if (!longest || !(isOther || longest.length > lane.length + 1)) throw createRefusalError();
    longest.at(-1)?.reject(createRefusalError());
  }

  function waitForTurn({ client, lane: laneName = '', signal }: Requester, state: ClientState): Promise<void> {
    const lane = state.lanes.get(laneName) ?? [];
    makeRoom(state, lane);
    clients.set(client, state);
    state.lanes.set(laneName, lane);
    state.waiting += 1;
    waiting += 1;
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        lane.splice(lane.indexOf(waiter), 1);
        if (lane.length === 0) state.lanes.delete(laneName);
        state.waiting -= 1;
        waiting -= 1;
        signal?.removeEventListener('abort', abort);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        start() {
          leaveQueue();
          if (lane.length > 0) {
            // Behind the others, until its turn comes again.
            state.lanes.delete(laneName);
            state.lanes.set(laneName, lane);
          }
          resolve();
        },
        reject(reason) {
          leaveQueue();
          if (state.running + state.waiting === 0) clients.delete(client);
          reject(reason);
        },
      };
      const { maxWaitMs } = options;
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(() => waiter.reject(createRefusalError()), maxWaitMs);
      const abort = () => waiter.reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      lane.push(waiter);
    });
  }

  function startNext(): void {
    for (const [client, state] of clients) {
      const [lane] = state.lanes.values();
      if (!lane || !mayStart(state)) continue;
      clients.delete(client);
      clients.set(client, state);
      state.running += 1;
      running += 1;
      lane[0]?.start();
      return;
    }
  }

  return async (requester, work) => {
    const { client, signal } = requester;
    signal?.throwIfAborted();
    const state = clients.get(client) ?? { running: 0, waiting: 0, lanes: new Map() };
    if (mayStart(state) && state.waiting === 0) {
      clients.set(client, state);
      state.running += 1;
      running += 1;
    } else await waitForTurn(requester, state);
    try {
      return await work();
    } finally {
      state.running -= 1;
      running -= 1;
      if (state.running + state.waiting === 0) clients.delete(client);
      startNext();
    }
  };
}

function longestLane({ lanes }: ClientState): Lane | undefined {
  return longestOf([...lanes.values()], (lane) => lane.length);
}

function longestOf<T>(items: readonly T[], lengthOf: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (longest, item) => (longest === undefined || lengthOf(item) > lengthOf(longest) ? item : longest),
    undefined,
  );
}
