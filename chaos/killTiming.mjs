// Chooses when to kill. Random times would rarely hit short operations, so most kills follow an event: a file that changes
// or a creation that succeeds.

import { watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('./random.mjs').Random} Random */

const MAX_WAIT_MS = 800;

/**
 * @param {Random} random
 * @param {import('./ledger.mjs').Ledger} ledger
 * @param {readonly string[]} folders that the service writes
 */
export async function waitForKillMoment(random, ledger, folders) {
  const kinds = folders.length + 2;
  const kind = random.below(kinds);
  const folder = folders[kind];
  if (folder !== undefined) await waitForChanges(folder, 1 + random.below(40));
  else if (kind === folders.length) await delay(random.below(MAX_WAIT_MS));
  else await Promise.race([ledger.waitForCreations(1 + random.below(20)), delay(MAX_WAIT_MS)]);
}

/**
 * Resolves after that many changes in the folder, or after MAX_WAIT_MS.
 * @param {string} folder
 * @param {number} count
 * @returns {Promise<void>}
 */
function waitForChanges(folder, count) {
  return new Promise((resolve) => {
    let left = count;
    const watcher = watch(folder, () => {
      left -= 1;
      if (left <= 0) done();
    });
    const timer = setTimeout(done, MAX_WAIT_MS);
    function done() {
      clearTimeout(timer);
      watcher.close();
      resolve();
    }
  });
}
