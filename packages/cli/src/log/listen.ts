// Servers of commands that run until Ctrl-C.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { CommandError, errorCode } from '../errors.js';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Serves until the signal. Returns the address, and a promise that resolves when it has ended. */
export async function listen(
  server: Server,
  { host, port, signal }: ListenOptions,
): Promise<{ readonly url: string; readonly ended: Promise<unknown> }> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CommandError('UNAVAILABLE', 3, `Nothing can listen on ${host}:${port}: ${errorCode(error)}.`);
  }
  const ended = once(server, 'close');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`, ended };
}
