// A port on which nothing listens, and on which nobody else begins to before its owner does. One that the kernel chose
// would be given out again at once, also to a test file that runs beside this one.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Up to 32,000: what the kernel chooses by itself begins above. */
const FIRST_PORT = 12_000;
const WORKERS = 4;
const PORTS_OF_A_WORKER = 5_000;

/** Of those that run test files at the same time, each has a number of its own; the setup for all has none. */
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS;
/** Anywhere in its range: other runs on this machine have the same ranges. */
let next = Math.floor(Math.random() * PORTS_OF_A_WORKER);

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + worker * PORTS_OF_A_WORKER + (next % PORTS_OF_A_WORKER);
    next += 1;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
