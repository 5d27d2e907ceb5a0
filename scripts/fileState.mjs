// Whether files have changed, without reading them.

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A digest that differs when a file was added, written, replaced or removed. It has the time of each file's last change of
 * any kind, which no program can set. Without `node_modules` and source maps.
 * @param {string[]} paths files and folders; one that is missing counts, too
 */
export function describeFiles(paths) {
  const hash = createHash('sha256');
  const add = (/** @type {string} */ path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    hash.update(`${path} ${stats?.ctimeMs} ${stats?.size}\n`);
    if (!stats?.isDirectory()) return;
    for (const name of readdirSync(path)) if (name !== 'node_modules' && !name.endsWith('.map')) add(join(path, name));
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}
