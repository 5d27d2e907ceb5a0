// Limits how much expensive work runs at once and how much may wait, fairly between clients: each client has its own
// budget, free slots go to the clients in turn, and within a client to its lanes in turn (a lane is one account, say).

import { RegistryError } from '@provenance-registry/core';

export interface FairLimitOptions {
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
}

/** Runs the work when it is its turn. Rejects with UNAVAILABLE if a budget is used up. */
export type FairLimit = <T>(requester: Requester, work: () => Promise<T>) => Promise<T>;

interface ClientState {
  running: number;
  waiting: number;
  /** Starts of waiting work, by lane. The lane whose turn it is comes first. */
  readonly lanes: Map<string, (() => void)[]>;
}

function busyError(): RegistryError {
  return new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.');
}

export function createFairLimit(options: FairLimitOptions): FairLimit {
  /** Clients with running or waiting work. The client whose turn it is comes first. */
  const clients = new Map<string, ClientState>();
  let running = 0;
  let waiting = 0;

  function mayStart(state: ClientState): boolean {
    return running < options.maxRunning && state.running < options.maxRunningPerClient;
  }

  function refuseIfFull(state: ClientState, lane: readonly unknown[]): void {
    const isFull =
      waiting >= options.maxWaiting ||
      state.waiting >= options.maxWaitingPerClient ||
      lane.length >= options.maxWaitingPerLane;
    if (isFull) throw busyError();
  }

  function waitForTurn(client: string, state: ClientState, laneName: string): Promise<void> {
    const lane = state.lanes.get(laneName) ?? [];
    refuseIfFull(state, lane);
    clients.set(client, state);
    state.lanes.set(laneName, lane);
    state.waiting += 1;
    waiting += 1;
    return new Promise((resolve, reject) => {
      const timer = options.maxWaitMs === undefined ? undefined : setTimeout(giveUp, options.maxWaitMs);
      function start(): void {
        clearTimeout(timer);
        resolve();
      }
      function giveUp(): void {
        lane.splice(lane.indexOf(start), 1);
        if (lane.length === 0) state.lanes.delete(laneName);
        state.waiting -= 1;
        waiting -= 1;
        if (state.running + state.waiting === 0) clients.delete(client);
        reject(busyError());
      }
      lane.push(start);
    });
  }

  function startNext(): void {
    for (const [client, state] of clients) {
      const [next] = state.lanes;
      if (!next || !mayStart(state)) continue;
      const [laneName, lane] = next;
      const start = lane.shift();
      // Behind the others, until its turn comes again.
      state.lanes.delete(laneName);
      if (lane.length > 0) state.lanes.set(laneName, lane);
      clients.delete(client);
      clients.set(client, state);
      state.waiting -= 1;
      waiting -= 1;
      state.running += 1;
      running += 1;
      start?.();
      return;
    }
  }

  return async ({ client, lane = '' }, work) => {
    const state = clients.get(client) ?? { running: 0, waiting: 0, lanes: new Map() };
    if (mayStart(state) && state.waiting === 0) {
      clients.set(client, state);
      state.running += 1;
      running += 1;
    } else await waitForTurn(client, state, lane);
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
