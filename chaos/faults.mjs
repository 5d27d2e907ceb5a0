// The faults that several layouts have in common.

import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {import('./supervisor.mjs').Supervised} Supervised */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} [isKill] counts toward `--kills`
 * @property {(random: Random) => Promise<unknown>} inject resolves when the fault is over
 */

/**
 * Kills a process, and in one of five cases again during its start.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {(random: Random) => Promise<void>} moment
 * @returns {Fault}
 */
export function createKillFault(kind, processes, moment) {
  return {
    name: `kill ${kind}`,
    isKill: true,
    async inject(random) {
      const victim = processes[random.below(processes.length)];
      if (!victim) return;
      await moment(random);
      await victim.kill();
      if (random.chance(0.2)) {
        await delay(random.below(1_500));
        await victim.kill();
      }
      await victim.waitUntilReady();
    },
  };
}

/**
 * Pauses a process at a random point and continues it later.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {number} maxPauseMs
 * @returns {Fault}
 */
export function createPauseFault(kind, processes, maxPauseMs) {
  return {
    name: `stop and continue ${kind}`,
    async inject(random) {
      const victim = processes[random.below(processes.length)];
      victim?.signal('SIGSTOP');
      await delay(maxPauseMs / 10 + random.below(maxPauseMs));
      victim?.signal('SIGCONT');
    },
  };
}

/** @param {string} name @param {import('./proxy.mjs').Proxy} proxy @returns {Fault} */
export function createDegradedConnectionFault(name, proxy) {
  return {
    name: `degrade connection to ${name}`,
    async inject(random) {
      const slowDown = () => proxy.slowDown(random.below(1_500));
      random.pick([() => proxy.cut(), () => proxy.stall(), () => proxy.fail(), slowDown])();
      await delay(random.below(6_000));
      // Data in transit is lost, or arrives late.
      if (random.chance(0.5)) proxy.reset();
      proxy.open();
    },
  };
}

/** @param {import('./disk.mjs').Disk} disk @param {() => (number | undefined)[]} writers @returns {Fault} */
export function createFullDiskFault(disk, writers) {
  return {
    name: 'fill the disk',
    async inject(random) {
      await disk.fill(writers());
      await delay(500 + random.below(4_000));
      await disk.empty(writers());
    },
  };
}
