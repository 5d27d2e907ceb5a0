// Sources of logs and copies on loopback, which serve what a test says.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Source {
  readonly url: string;
  /** Paths that were read. */
  readonly read: readonly string[];
}

/** Serves what the function returns, until the test ends: undefined is 404, and a promise that never resolves hangs. */
export async function startSource(
  find: (path: string) => Promise<Uint8Array | undefined> | Uint8Array | undefined,
): Promise<Source> {
  const read: string[] = [];
  const server = createServer(async ({ url = '' }, response) => {
    const path = decodeURIComponent(url.slice(1));
    read.push(path);
    const bytes = await find(path);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  return { url: await listen(server), read };
}

/** Until the test ends. Returns the address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Serves what the function returns at the time of a request. Returns the address. */
export async function serveFiles(read: () => ReadonlyMap<string, Uint8Array>): Promise<string> {
  return (await startSource((path) => read().get(path))).url;
}
