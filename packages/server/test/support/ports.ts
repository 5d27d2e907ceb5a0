// A port on which nothing listens, and which nobody else gets before it is used.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system gives to whoever asks for any: a connection or a server of another test would take it. */
const FIRST = 10_000;
/** Test files that run at the same time choose from different ones; the torture's begin behind them. */
const A_WORKER = 2_000;
const WORKERS = 5;

const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * A_WORKER;
// The file before this one may still be ending its processes, and another run be on this machine.
let next = randomInt(A_WORKER);

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < A_WORKER; tried += 1) {
    const port = first + next;
    next = (next + 1) % A_WORKER;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
