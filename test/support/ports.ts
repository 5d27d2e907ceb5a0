// Finds TCP ports that stay free until they are used.

import { createServer } from 'node:net';

/** Below the ephemeral range, from which a connection or server of another test could take the port. */
const FIRST_PORT = 10_000;
/** Each test worker has a range of its own; the chaos test's ports start after them. */
const PORTS_PER_WORKER = 2_000;
const WORKERS = 5;

declare global {
  /** Outlives this module, which each test file loads again: processes of the file before may still be stopping. */
  var nextTestPort: number | undefined;
}

const first = FIRST_PORT + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * PORTS_PER_WORKER;

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORTS_PER_WORKER; attempt += 1) {
    // Another start in each process avoids the ports of another run.
    const next = globalThis.nextTestPort ?? (process.pid * 7) % PORTS_PER_WORKER;
    globalThis.nextTestPort = (next + 1) % PORTS_PER_WORKER;
    const port = first + next;
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
