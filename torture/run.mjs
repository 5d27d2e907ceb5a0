// One run of one layout: people at work, faults, then quiet, then the reckoning.

import { setTimeout as delay } from 'node:timers/promises';
import { audit, compareAll, readAll, untilQuiet } from './checks.mjs';
import { openAccounts, openClients } from './clients.mjs';
import { openDisk } from './disk.mjs';
import { openLedger } from './ledger.mjs';
import { randomOf } from './random.mjs';

/** @typedef {import('./layouts.mjs').Fault} Fault */
/** @typedef {Awaited<ReturnType<typeof torture>>} Result */

/** What is not a kill is done so often for each kill that is wanted. */
const OTHER_FAULTS_PER_KILL = 0.5;
/** Faults take time themselves: they begin closer to each other than the time and their number say. */
const CLOSER = 0.6;
const FINISH_WITHIN_MS = 90_000;
const PROGRESS_EVERY_MS = 15_000;

/**
 * @param {object} options
 * @param {string} options.name
 * @param {(surroundings: import('./layouts.mjs').Surroundings) => Promise<import('./layouts.mjs').Layout>} options.layout
 * @param {number} options.ms
 * @param {number} options.kills of each kind of process, at least
 * @param {string} options.seed
 * @param {(text: string) => void} options.say
 */
export async function torture({ name, layout: start, ms, kills, seed, say }) {
  const disk = await openDisk();
  const ledger = openLedger();
  const layout = await start({ disk, ledger, onLine: (line) => noteFault(line, ledger) }).catch(async (error) => {
    await disk.remove();
    throw error;
  });
  try {
    const accounts = await openAccounts(layout.url);
    const clients = openClients({ url: layout.url, ledger, accounts });
    say(`${name}: the service runs, people begin; a full disk is ${disk.means}`);
    clients.begin((who) => randomOf(seed, `${name} ${who}`));
    const struck = await strikeAll({ faults: layout.faults, ms, kills, seed: `${seed} ${name}`, ledger, say });
    await layout.calm();
    say(`${name}: the faults are over; people finish, and what is on its way settles`);
    await clients.finish(FINISH_WITHIN_MS);
    await untilQuiet(layout, ledger, (text) => say(`${name}: ${text}`));
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
 * Every kind of fault again and again, side by side, until the time is over and every kind of process was killed often
 * enough. Answers with how often each was done.
 * @param {{ faults: readonly Fault[], ms: number, kills: number, seed: string, ledger: import('./ledger.mjs').Ledger, say: (text: string) => void }} options
 */
async function strikeAll({ faults, ms, kills, seed, ledger, say }) {
  const end = Date.now() + ms;
  /** @type {Map<string, number>} */
  const struck = new Map(faults.map(({ name }) => [name, 0]));
  /** @param {Fault} fault */
  async function again({ name, isKill, strike }) {
    const random = randomOf(seed, name);
    const wanted = isKill ? kills : Math.max(1, Math.round(kills * OTHER_FAULTS_PER_KILL));
    const pauseMs = (2 * CLOSER * ms) / wanted;
    for (let done = 0; Date.now() < end || (isKill && done < wanted); ) {
      await delay(Math.min(random.below(pauseMs), Math.max(0, end - Date.now())));
      if (Date.now() >= end && (!isKill || done >= wanted)) break;
      await strike(random);
      done += 1;
      struck.set(name, done);
    }
  }
  const progress = setInterval(() => {
    const counts = [...struck].map(([name, count]) => `${name} ${count}`);
    say(`${ledger.counts.creations} creations answered; ${counts.join(', ')}`);
  }, PROGRESS_EVERY_MS);
  try {
    await Promise.all(faults.map(again));
  } finally {
    clearInterval(progress);
  }
  return struck;
}

/** What the service itself calls a fault of its own. @param {string} line @param {import('./ledger.mjs').Ledger} ledger */
function noteFault(line, ledger) {
  if (line.includes('"msg":"request failed"')) ledger.complain('strange', line);
}
