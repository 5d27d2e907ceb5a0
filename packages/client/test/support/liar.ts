// A service that lies: a proxy in front of an honest one, which changes some of what it says.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: a lie may be about anything
export type Lie = (honest: any) => unknown;

export interface Lies {
  /** By the beginning of a path, what becomes of the JSON that is answered there. */
  readonly json?: Readonly<Record<string, Lie>>;
  /** What becomes of sidecars. */
  readonly sidecar?: (honest: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

/** Answers with its address. */
export async function startLiar(serviceUrl: string, { json = {}, sidecar }: Lies): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const { accept = '*/*', authorization } = headers;
    const honest = await fetch(serviceUrl + url, {
      method,
      headers: { accept, ...(authorization && { authorization }) },
    });
    const bytes = new Uint8Array(await honest.arrayBuffer());
    const type = honest.headers.get('content-type') ?? '';
    const lie = Object.entries(json).find(([path]) => url.startsWith(path))?.[1];
    const said =
      lie && type.startsWith('application/json')
        ? Buffer.from(JSON.stringify(lie(JSON.parse(Buffer.from(bytes).toString()))))
        : type === 'application/c2pa' && sidecar
          ? sidecar(bytes)
          : bytes;
    response
      .writeHead(lie ? 200 : honest.status, { 'content-type': type, 'access-control-allow-origin': '*' })
      .end(said);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
