// One run of one layout: people at work, faults, then quiet, then the reckoning.

import { setTimeout as delay } from 'node:timers/promises';
import { audit, compareAll, readAll, untilQuiet } from './checks.mjs';
import { openAccounts, openClients } from './clients.mjs';
import { openDisk } from './disk.mjs';
import { openLedger } from './ledger.mjs';
import { randomOf } from './random.mjs';

/** @typedef {import('./layouts.mjs').Fault} Fault */
/** @typedef {Awaited<ReturnType<typeof torture>>} Result */

/** What is not a kill is wanted so often for each kill that is wanted. */
const OTHER_FAULTS_PER_KILL = 0.4;
/** Between two faults of a kind something is to be answered, but a service that answers nothing is not left alone for it. */
const LONGEST_WAIT_FOR_ANSWER_MS = 10_000;
/** Faults take time themselves: they begin closer to each other than the time and their number say. */
const CLOSER = 0.4;
const FINISH_WITHIN_MS = 90_000;
const PROGRESS_EVERY_MS = 15_000;

/**
 * @param {object} options
 * @param {string} options.name
 * @param {(surroundings: import('./layouts.mjs').Surroundings) => Promise<import('./layouts.mjs').Layout>} options.layout
 * @param {number} options.ms
 * @param {number} options.people who work at once
 * @param {number} options.kills of each kind of process, at least
 * @param {string} options.seed
 * @param {AbortSignal} options.signal ends the faults early
 * @param {(text: string) => void} options.say
 */
export async function torture({ name, layout: start, ms, people, kills, seed, signal, say }) {
  const disk = await openDisk(ms);
  const ledger = openLedger();
  const layout = await start({ disk, ledger, onLine: (line) => noteFault(line, ledger) }).catch(async (error) => {
    await disk.remove();
    throw error;
  });
  try {
    const accounts = await openAccounts(layout.url);
    const clients = openClients({ url: layout.url, ledger, accounts });
    say(`the service runs, people begin; a full disk is ${disk.means}`);
    clients.begin(people, (who) => randomOf(seed, `${name} ${who}`));
    const struck = await strikeAll({
      faults: layout.faults,
      ms,
      kills,
      seed: `${seed} ${name}`,
      signal,
      answer: () => ledger.answers(1),
      progress: (text) => say(`${ledger.counts.creations} creations answered; ${text}`),
    });
    await layout.calm();
    say('the faults are over; people finish, and what is on its way settles');
    await clients.finish(FINISH_WITHIN_MS);
    await untilQuiet(layout, ledger, say);
    await compareAll(layout, ledger);
    await readAll(layout, ledger, clients.lookUp);
    const audited = await audit(layout.settings);
    return {
      name,
      struck,
      counts: ledger.counts,
      troubles: ledger.troubles,
      endings: layout.endings(),
      audited,
    };
  } finally {
    await layout.close();
    await disk.remove();
  }
}

/**
 * Every kind of fault again and again, side by side, until the time is over and each was done often enough. Answers with
 * how often that was.
 * @param {object} options
 * @param {readonly Fault[]} options.faults
 * @param {number} options.ms
 * @param {number} options.kills
 * @param {string} options.seed
 * @param {AbortSignal} options.signal
 * @param {() => Promise<unknown>} options.answer resolves with the next creation that is answered
 * @param {(text: string) => void} options.progress
 */
async function strikeAll({ faults, ms, kills, seed, signal, answer, progress }) {
  const end = Date.now() + ms;
  let isBroken = false;
  /** @type {Map<string, number>} */
  const struck = new Map(faults.map(({ name }) => [name, 0]));
  /** @param {Fault} fault */
  async function again({ name, isKill, strike }) {
    const random = randomOf(seed, name);
    const wanted = isKill ? kills : Math.max(1, Math.round(kills * OTHER_FAULTS_PER_KILL));
    const pauseMs = (2 * CLOSER * ms) / wanted;
    const isOver = () => isBroken || signal.aborted || (Date.now() >= end && (struck.get(name) ?? 0) >= wanted);
    while (!isOver()) {
      await delay(random.below(pauseMs), undefined, { signal }).catch(() => {});
      await Promise.race([answer(), delay(LONGEST_WAIT_FOR_ANSWER_MS, undefined, { signal }).catch(() => {})]);
      if (isOver()) return;
      await strike(random);
      struck.set(name, (struck.get(name) ?? 0) + 1);
    }
  }
  const telling = setInterval(() => {
    progress([...struck].map(([name, count]) => `${name} ${count}`).join(', '));
  }, PROGRESS_EVERY_MS);
  // When one cannot go on, the others end what they are at: nothing strikes what is being put away.
  const ends = await Promise.allSettled(
    faults.map((fault) =>
      again(fault).catch((error) => {
        isBroken = true;
        throw error;
      }),
    ),
  );
  clearInterval(telling);
  const failed = ends.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return struck;
}

/** What the service itself calls a fault of its own. @param {string} line @param {import('./ledger.mjs').Ledger} ledger */
function noteFault(line, ledger) {
  if (line.includes('"msg":"request failed"')) ledger.complain('strange', line);
}
