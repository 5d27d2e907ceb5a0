// Runs one layout: clients and faults at the same time, then recovery, then the checks.

import { setTimeout as delay } from 'node:timers/promises';
import { compareAll, readAll, runAudit, waitUntilSettled } from './checks.mjs';
import { createAccounts, createClients } from './clients.mjs';
import { createDisk } from './disk.mjs';
import { createLedger } from './ledger.mjs';
import { createRandom } from './random.mjs';
import { stopAll } from './supervisor.mjs';
import { startFollowers } from './webhookReceiver.mjs';

/** @typedef {import('./faults.mjs').Fault} Fault */
/** @typedef {Awaited<ReturnType<typeof runLayout>>} Result */

/** Injections of each other fault for each wanted kill. */
const OTHER_FAULTS_PER_KILL = 0.4;
/** Without a duration, at most this many creations succeed between two faults of a kind. */
const MAX_CREATIONS_BETWEEN_FAULTS = 10;
/** Between two faults of a kind creations should succeed; after this time the next fault comes anyway. */
const MAX_WAIT_FOR_CREATION_MS = 10_000;
/** The same for several creations, which other faults hold up. */
const MAX_WAIT_FOR_CREATIONS_MS = 60_000;
/** Faults take time themselves, so the pauses fill only a part of the run. */
const PAUSE_SHARE = 0.4;
/** Ends clients that hang; on an idle machine they finish within seconds. */
const FINISH_TIMEOUT_MS = 1_800_000;
const PROGRESS_INTERVAL_MS = 15_000;

/**
 * @typedef {object} Layout
 * @property {string} url that clients use
 * @property {readonly Fault[]} faults
 * @property {(sql: string) => Promise<Record<string, unknown>[]>} query
 * @property {() => Promise<{ fingerprint: string, id: string }[]>} registrations from the chain's log
 * @property {() => Promise<string[]>} files names of all published files
 * @property {Record<string, string>} settings for the audit, past the proxies
 * @property {() => Promise<void>} recover ends every fault and waits until everything is ready
 * @property {() => string[]} unexpectedExits of processes that no fault killed
 */

/**
 * @typedef {object} Environment
 * @property {import('./disk.mjs').Disk} disk
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {(line: string) => void} onLine called with each line of the service's log
 * @property {(close: () => Promise<unknown>) => void} onClose what to do at the end, once all programs have stopped
 */

/**
 * @typedef {object} RunOptions
 * @property {string} name
 * @property {(environment: Environment) => Promise<Layout>} layout
 * @property {number} ms minimum duration of the faults; with 0, the number of kills alone decides
 * @property {number} clients running at once
 * @property {number} kills minimum for each kind of process
 * @property {string} seed
 * @property {AbortSignal} signal ends the faults early
 * @property {Promise<never>} canceled ends the run without checks
 * @property {(text: string) => void} say
 */

/** Leaves no process and no folder behind, also when `canceled` rejects. @param {RunOptions} options */
export async function runLayout(options) {
  const disk = await createDisk(options.ms);
  /** @type {(() => Promise<unknown>)[]} */
  const closers = [disk.remove];
  try {
    return await Promise.race([runFaults(options, disk, (close) => closers.push(close)), options.canceled]);
  } finally {
    await stopAll();
    for (const close of closers.toReversed()) await close();
  }
}

/** @param {RunOptions} options @param {import('./disk.mjs').Disk} disk @param {Environment['onClose']} onClose */
async function runFaults(options, disk, onClose) {
  const { name, seed, say } = options;
  const ledger = createLedger();
  const layout = await options.layout({ disk, ledger, onLine: (line) => recordServiceError(line, ledger), onClose });
  const accounts = await createAccounts(layout.url);
  const followers = await startFollowers(layout.url, accounts);
  onClose(followers.close);
  const clients = createClients({ url: layout.url, ledger, accounts });
  say(`the service is ready, clients start; full disk by ${disk.fullDiskMethod}`);
  clients.start(options.clients, (client) => createRandom(seed, `${name} ${client}`));
  const injected = await injectFaults(layout.faults, ledger, options);
  await layout.recover();
  say('the faults are over; waiting for clients and pending work');
  await clients.finish(FINISH_TIMEOUT_MS);
  await waitUntilSettled(layout, ledger, say);
  const delivered = await followers.check(ledger);
  say(`${delivered} events were delivered to webhooks`);
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
}

/**
 * Injects every kind of fault repeatedly and concurrently, until the time is over and each has its minimum. Returns how often
 * each was injected.
 * @param {readonly Fault[]} faults
 * @param {import('./ledger.mjs').Ledger} ledger
 * @param {RunOptions} options
 */
async function injectFaults(faults, ledger, { name: layout, ms, kills, seed, signal, say }) {
  const end = Date.now() + ms;
  let hasFailed = false;
  /** @type {Map<string, number>} */
  const injected = new Map(faults.map(({ name }) => [name, 0]));
  /** @param {Fault} fault */
  async function repeat({ name, isKill, inject }) {
    const random = createRandom(`${seed} ${layout}`, name);
    const wanted = isKill ? kills : Math.max(1, Math.round(kills * OTHER_FAULTS_PER_KILL));
    const pauseMs = (2 * PAUSE_SHARE * ms) / wanted;
    const isOver = () => hasFailed || signal.aborted || (Date.now() >= end && (injected.get(name) ?? 0) >= wanted);
    while (!isOver()) {
      await delay(random.below(pauseMs), undefined, { signal }).catch(() => {});
      const [creations, maxWaitMs] =
        ms > 0
          ? [1, MAX_WAIT_FOR_CREATION_MS]
          : [1 + random.below(MAX_CREATIONS_BETWEEN_FAULTS), MAX_WAIT_FOR_CREATIONS_MS];
      const timeout = delay(maxWaitMs, undefined, { signal }).catch(() => {});
      await Promise.race([ledger.waitForCreations(creations), timeout]);
      if (isOver()) return;
      await inject(random);
      injected.set(name, (injected.get(name) ?? 0) + 1);
    }
  }
  const progressTimer = setInterval(() => {
    const faultCounts = [...injected].map(([name, count]) => `${name} ${count}`).join(', ');
    say(`${ledger.counts.creations} creations succeeded; ${faultCounts}`);
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
