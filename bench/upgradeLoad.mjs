// Lookups and creations that go on while a database is migrated, and what came of them.

import { setTimeout as delay } from 'node:timers/promises';

/** Of each of those who look up and create: an upgrade should find a service that is used, not one that is flooded. */
const PAUSE_MS = 5;

/**
 * @typedef {object} Client
 * @property {(number: number) => Promise<unknown>} lookUp looks up an Artifact that is there
 * @property {(name: string) => Promise<unknown>} create
 */

export class UpgradeLoad {
  /** Times of lookups in milliseconds, by phase. @type {Map<string, number[]>} */
  times = new Map();
  /** @type {string[]} */
  failures = [];
  created = 0;
  #isEnding = false;
  #phase = '';
  /** @type {Promise<void>[]} */
  #running = [];

  /** @param {readonly Client[]} clients @param {{ artifacts: number, lookups: number, creations: number }} options workers of each client */
  constructor(clients, { artifacts, lookups, creations }) {
    for (const [index, client] of clients.entries()) {
      for (let worker = 0; worker < lookups; worker += 1)
        this.#running.push(this.#lookUp(client, index + worker, artifacts));
      for (let worker = 0; worker < creations; worker += 1)
        this.#running.push(this.#create(client, `${index}-${worker}`));
    }
  }

  /** @param {string} phase */
  begin(phase) {
    this.times.set(phase, []);
    this.#phase = phase;
  }

  async end() {
    this.#isEnding = true;
    await Promise.all(this.#running);
  }

  /** @param {string} phase @param {number} share 0.99 for the 99th percentile */
  percentile(phase, share) {
    const times = (this.times.get(phase) ?? []).toSorted((one, other) => one - other);
    return times[Math.floor(times.length * share)] ?? Number.NaN;
  }

  /** @param {Client} client @param {number} first @param {number} artifacts */
  async #lookUp(client, first, artifacts) {
    // A step that shares no factor with a round number: all parts of the table are read.
    for (let number = 1 + first; !this.#isEnding; number = 1 + ((number + 7_919) % artifacts)) {
      if (number % 100 === 0) continue;
      const startedAt = performance.now();
      await this.#try(async () => {
        if (!(await client.lookUp(number))) throw new Error(`Artifact ${number} was not found`);
      });
      this.times.get(this.#phase)?.push(performance.now() - startedAt);
      await delay(PAUSE_MS);
    }
  }

  /** @param {Client} client @param {string} prefix */
  async #create(client, prefix) {
    for (let count = 0; !this.#isEnding; count += 1) {
      await this.#try(async () => {
        await client.create(`new-${prefix}-${count}`);
        this.created += 1;
      });
      await delay(PAUSE_MS);
    }
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.failures.push(error instanceof Error ? error.message : String(error));
    }
  }
}
