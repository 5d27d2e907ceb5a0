// A port on which nothing listens, and that nobody else gets: neither a test file that runs beside this one, nor a
// connection, nor a server that takes any port.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives away by itself, and below those of the torture. */
const FIRST_PORT = 10_000;
/** Test files that run side by side have numbers; what runs before them all has none. */
const PORTS_EACH = 2_000;
const first = FIRST_PORT + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 5) * PORTS_EACH;
/** Another place at each start: what the file before has left may still be in use. */
let next = Math.floor(Math.random() * PORTS_EACH);

export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (next % PORTS_EACH);
    next += 1;
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
