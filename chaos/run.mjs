// Runs one layout: clients and faults at the same time, then recovery, then the checks.

import { setTimeout as delay } from 'node:timers/promises';
import { compareAll, readAll, runAudit, waitUntilSettled } from './checks.mjs';
import { createAccounts, createClients } from './clients.mjs';
import { createDisk } from './disk.mjs';
import { createLedger } from './ledger.mjs';
import { createRandom } from './random.mjs';

/** @typedef {import('./layouts.mjs').Fault} Fault */
/** @typedef {Awaited<ReturnType<typeof runLayout>>} Result */

/** Injections of each other fault for each wanted kill. */
const OTHER_FAULTS_PER_KILL = 0.4;
/** Between two faults of a kind a creation should succeed; after this time the next fault comes anyway. */
const MAX_WAIT_FOR_CREATION_MS = 10_000;
/** Faults take time themselves, so the pauses fill only a part of the run. */
const PAUSE_SHARE = 0.4;
const FINISH_TIMEOUT_MS = 90_000;
const PROGRESS_INTERVAL_MS = 15_000;

/**
 * @param {object} options
 * @param {string} options.name
 * @param {(environment: import('./layouts.mjs').Environment) => Promise<import('./layouts.mjs').Layout>} options.layout
 * @param {number} options.ms
 * @param {number} options.clients running at once
 * @param {number} options.kills minimum for each kind of process
 * @param {string} options.seed
 * @param {AbortSignal} options.signal ends the faults early
 * @param {(text: string) => void} options.say
 */
export async function runLayout({ name, layout: start, ms, clients: clientCount, kills, seed, signal, say }) {
  const disk = await createDisk(ms);
  const ledger = createLedger();
  const layout = await start({ disk, ledger, onLine: (line) => recordServiceError(line, ledger) }).catch(
    async (error) => {
      await disk.remove();
      throw error;
    },
  );
  try {
    const accounts = await createAccounts(layout.url);
    const clients = createClients({ url: layout.url, ledger, accounts });
    say(`the service is ready, clients start; full disk by ${disk.fullDiskMethod}`);
    clients.start(clientCount, (client) => createRandom(seed, `${name} ${client}`));
    const injected = await injectFaults({
      faults: layout.faults,
      ms,
      kills,
      seed: `${seed} ${name}`,
      signal,
      nextCreation: () => ledger.waitForCreations(1),
      progress: (text) => say(`${ledger.counts.creations} creations succeeded; ${text}`),
    });
    await layout.recover();
    say('the faults are over; waiting for clients and pending work');
    await clients.finish(FINISH_TIMEOUT_MS);
    await waitUntilSettled(layout, ledger, say);
    await compareAll(layout, ledger);
    await readAll(layout, ledger, clients.lookUp);
    const auditOutput = await runAudit(layout.settings);
    return {
      name,
      injected,
      counts: ledger.counts,
      violations: ledger.violations,
      unexpectedExits: layout.unexpectedExits(),
      auditOutput,
    };
  } finally {
    await layout.close();
    await disk.remove();
  }
}

/**
 * Injects every kind of fault repeatedly and concurrently, until the time is over and each has its minimum. Returns how often
 * each was injected.
 * @param {object} options
 * @param {readonly Fault[]} options.faults
 * @param {number} options.ms
 * @param {number} options.kills
 * @param {string} options.seed
 * @param {AbortSignal} options.signal
 * @param {() => Promise<unknown>} options.nextCreation resolves with the next successful creation
 * @param {(text: string) => void} options.progress
 */
async function injectFaults({ faults, ms, kills, seed, signal, nextCreation, progress }) {
  const end = Date.now() + ms;
  let hasFailed = false;
  /** @type {Map<string, number>} */
  const injected = new Map(faults.map(({ name }) => [name, 0]));
  /** @param {Fault} fault */
  async function repeat({ name, isKill, inject }) {
    const random = createRandom(seed, name);
    const wanted = isKill ? kills : Math.max(1, Math.round(kills * OTHER_FAULTS_PER_KILL));
    const pauseMs = (2 * PAUSE_SHARE * ms) / wanted;
    const isOver = () => hasFailed || signal.aborted || (Date.now() >= end && (injected.get(name) ?? 0) >= wanted);
    while (!isOver()) {
      await delay(random.below(pauseMs), undefined, { signal }).catch(() => {});
      await Promise.race([nextCreation(), delay(MAX_WAIT_FOR_CREATION_MS, undefined, { signal }).catch(() => {})]);
      if (isOver()) return;
      await inject(random);
      injected.set(name, (injected.get(name) ?? 0) + 1);
    }
  }
  const progressTimer = setInterval(() => {
    progress([...injected].map(([name, count]) => `${name} ${count}`).join(', '));
  }, PROGRESS_INTERVAL_MS);
  // When one fails the others finish first, so that no fault hits a layout that is being closed.
  const outcomes = await Promise.allSettled(
    faults.map((fault) =>
      repeat(fault).catch((error) => {
        hasFailed = true;
        throw error;
      }),
    ),
  );
  clearInterval(progressTimer);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return injected;
}

/** Internal errors in the service's log. @param {string} line @param {import('./ledger.mjs').Ledger} ledger */
function recordServiceError(line, ledger) {
  if (line.includes('"msg":"request failed"')) ledger.recordViolation('unexpected', line);
}
