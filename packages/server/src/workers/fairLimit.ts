// Limits how much expensive work runs at once and how much may wait, fairly between clients: each client has its own
// budget, free slots go to the clients in turn, and within a client to its lanes in turn (a lane is one account, say).
// When the queue is full, the one with the most waiting work makes room for the others.

import { RegistryError } from '@provenance-registry/core';
import { refusedWork } from '../monitoring/metrics.js';

export interface FairLimitOptions {
  /** Name of the budget in the metrics. */
  readonly name: string;
  /** Here and below, the sum of weights. Work that weighs more runs alone. */
  readonly maxRunning: number;
  readonly maxRunningPerClient: number;
  /** Of a client while no other one has asked for turns for a while; by default, no more than at other times. */
  readonly maxRunningAlone?: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  readonly maxWaitingPerLane: number;
  /** Work that has waited for so long is given up; by default it waits until its turn. */
  readonly maxWaitMs?: number;
}

/** So many requests of a client in a row: another one that comes from time to time finds it limited. */
const ALONE_AFTER = 1_000;

export interface Requester {
  readonly client: string;
  readonly lane?: string | undefined;
  /** What it counts for while it runs; 1 by default. */
  readonly weight?: number;
  /** Takes waiting work out of the queue: it rejects with the signal's reason and never starts. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly weight: number;
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

export class FairLimit {
  readonly #options: FairLimitOptions;
  /** Clients with running or waiting work. The client whose turn it is comes first. */
  readonly #clients = new Map<string, ClientState>();
  #running = 0;
  #waiting = 0;
  /** The client whose turn it is has work that does not fit beside what runs. Lighter work must not pass it again and again. */
  #isBlocked = false;
  /** The client that asked last, and how many times in a row. */
  #latest: string | undefined;
  #timesInARow = 0;

  constructor(options: FairLimitOptions) {
    this.#options = options;
    refusedWork.inc({ budget: options.name }, 0);
  }

  /** Runs the work when it is its turn. Rejects with UNAVAILABLE if a budget is used up. */
  async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    const { client, weight = 1, signal } = requester;
    signal?.throwIfAborted();
    this.#countInARow(client);
    const state = this.#clients.get(client) ?? { running: 0, waiting: 0, lanes: new Map() };
    if (state.waiting === 0 && this.#mayStart(client, state, weight)) this.#countStart(client, state, weight);
    else await this.#waitForTurn(requester, state);
    try {
      return await work();
    } finally {
      state.running -= weight;
      this.#running -= weight;
      this.#forgetIfIdle(client, state);
      this.#startNext();
    }
  }

  /** Resolves when it is its turn, with a function that ends it. */
  acquire(requester: Requester): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(requester, () => new Promise<void>((release) => resolve(release))).catch(reject);
    });
  }

  #countInARow(client: string): void {
    this.#timesInARow = client === this.#latest ? this.#timesInARow + 1 : 1;
    this.#latest = client;
  }

  /** Whether only this client has asked for turns for a while. */
  isAlone(client: string): boolean {
    if (this.#timesInARow <= ALONE_AFTER || client !== this.#latest) return false;
    return this.#clients.size === 0 || (this.#clients.size === 1 && this.#clients.has(client));
  }

  /** Whether the work may start that comes next of its client, whose turn it is. */
  #mayStart(client: string, state: ClientState, weight: number): boolean {
    const { maxRunning, maxRunningPerClient, maxRunningAlone } = this.#options;
    if (maxRunningAlone !== undefined && this.isAlone(client)) return fits(state.running, weight, maxRunningAlone);
    if (!fits(state.running, weight, maxRunningPerClient)) return false;
    this.#isBlocked ||= !fits(this.#running, weight, maxRunning);
    return !this.#isBlocked;
  }

  #countStart(client: string, state: ClientState, weight: number): void {
    this.#clients.set(client, state);
    state.running += weight;
    this.#running += weight;
  }

  #forgetIfIdle(client: string, state: ClientState): void {
    if (state.running + state.waiting === 0) this.#clients.delete(client);
  }

  #startNext(): void {
    this.#isBlocked = false;
    for (const [client, state] of this.#clients) {
      const waiter = state.lanes.values().next().value?.[0];
      if (this.#isBlocked) return;
      if (!waiter || !this.#mayStart(client, state, waiter.weight)) continue;
      // Behind the others, which the loop reaches first.
      this.#clients.delete(client);
      this.#countStart(client, state, waiter.weight);
      waiter.start();
    }
  }

  #waitForTurn({ client, lane: laneName = '', weight = 1, signal }: Requester, state: ClientState): Promise<void> {
    const { maxWaitMs } = this.#options;
    const lane = state.lanes.get(laneName) ?? [];
    this.#makeRoom(state, lane);
    this.#clients.set(client, state);
    state.lanes.set(laneName, lane);
    state.waiting += 1;
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        lane.splice(lane.indexOf(waiter), 1);
        if (lane.length === 0) state.lanes.delete(laneName);
        state.waiting -= 1;
        this.#waiting -= 1;
        signal?.removeEventListener('abort', abort);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        weight,
        start() {
          leaveQueue();
          if (lane.length > 0) {
            // Behind the others, until its turn comes again.
            state.lanes.delete(laneName);
            state.lanes.set(laneName, lane);
          }
          resolve();
        },
        reject: (reason) => {
          leaveQueue();
          this.#forgetIfIdle(client, state);
          reject(reason);
          // Lighter work behind it may fit.
          this.#startNext();
        },
      };
      const giveUp = () => waiter.reject(this.#refusalError());
      const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
      const abort = () => waiter.reject(signal?.reason);
      signal?.addEventListener('abort', abort);
      lane.push(waiter);
    });
  }

  /** Makes room for one more in this lane, or throws. What came last gives way. */
  #makeRoom(state: ClientState, lane: Lane): void {
    const { maxWaiting, maxWaitingPerClient, maxWaitingPerLane } = this.#options;
    if (lane.length >= maxWaitingPerLane) throw this.#refusalError();
    const isClientFull = state.waiting >= maxWaitingPerClient;
    if (!isClientFull && this.#waiting < maxWaiting) return;
    const busiest = isClientFull ? state : (longestOf(this.#clients.values(), (other) => other.waiting) ?? state);
    const isOther = busiest.waiting > state.waiting + 1;
    const longest = longestLane(isOther ? busiest : state);
    if (!longest || !(isOther || longest.length > lane.length + 1)) throw this.#refusalError();
    longest.at(-1)?.reject(this.#refusalError());
  }

  #refusalError(): RegistryError {
    refusedWork.inc({ budget: this.#options.name });
    return new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.');
  }
}

function fits(running: number, weight: number, max: number): boolean {
  return running === 0 || running + weight <= max;
}

function longestLane({ lanes }: ClientState): Lane | undefined {
  return longestOf(lanes.values(), (lane) => lane.length);
}

/** The first of the longest items. */
function longestOf<T>(items: Iterable<T>, lengthOf: (item: T) => number): T | undefined {
  let longest: T | undefined;
  for (const item of items) if (longest === undefined || lengthOf(item) > lengthOf(longest)) longest = item;
  return longest;
}
