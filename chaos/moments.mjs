// When to kill: moments that are spread over everything that a service does. Chance alone would leave out what takes a
// moment only, so most kills follow what they are to hit.

import { watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('./random.mjs').Random} Random */

/** The longest that is waited for something to happen. */
const LONGEST_MS = 800;

/**
 * @param {Random} random
 * @param {import('./ledger.mjs').Ledger} ledger
 * @param {readonly string[]} folders that change while it works
 */
export async function nextMoment(random, ledger, folders) {
  const kinds = folders.length + 2;
  const kind = random.below(kinds);
  const folder = folders[kind];
  if (folder !== undefined) await changesIn(folder, 1 + random.below(40));
  else if (kind === folders.length) await delay(random.below(LONGEST_MS));
  else await Promise.race([ledger.answers(1 + random.below(20)), delay(LONGEST_MS)]);
}

/**
 * Resolves when the folder has changed so often; one that no longer changes is left after a while.
 * @param {string} folder
 * @param {number} count
 * @returns {Promise<void>}
 */
function changesIn(folder, count) {
  return new Promise((resolve) => {
    let left = count;
    const watcher = watch(folder, () => {
      left -= 1;
      if (left <= 0) done();
    });
    const timer = setTimeout(done, LONGEST_MS);
    function done() {
      clearTimeout(timer);
      watcher.close();
      resolve();
    }
  });
}
