// A port on which nothing listens, and which nobody else takes before whoever asked for it does.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below those that the system itself gives to servers that name none, and to outgoing connections. */
const [FIRST, END] = [12_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    // A name that only one process on the machine can have, for as long as it lives: it is given no port twice either.
    const reservation = await listen(`\0registry-test-port-${port}`);
    if (!reservation) continue;
    reservation.unref();
    const server = await listen(port);
    if (!server) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Undefined when somebody else listens there. */
async function listen(where: string | number): Promise<Server | undefined> {
  const server = createServer();
  if (typeof where === 'number') server.listen(where, '127.0.0.1');
  else server.listen(where);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
