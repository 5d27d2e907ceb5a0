// libuv's thread pool, which reads files, resolves names and hashes passwords.

import { readFile } from 'node:fs/promises';
import { packageFolder } from '../paths.js';

/** Stays pending while every thread of the pool is stuck. */
export async function checkThreadPool(): Promise<void> {
  await readFile(new URL('package.json', packageFolder));
}
