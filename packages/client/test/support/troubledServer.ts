// A server that answers as a test tells it to: each request takes the next turn; after the last one, the last again.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Turn = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

export async function serve(...turns: readonly Turn[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const turn = turns[Math.min(seen.length, turns.length - 1)];
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    turn?.(request, response);
    // Whoever wants the body reads it at once.
    if (!request.readableFlowing) request.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Turn =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const text =
  (status: number, body: string): Turn =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  };

/** The connection is gone before any answer. */
export const cut: Turn = (request) => {
  request.socket.destroy();
};

/** The connection is gone in the middle of the answer. */
export const cutInside: Turn = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"status":', () => request.socket.destroy());
};

/** No answer ever. */
export const hang: Turn = () => {};

/** An answer that never ends. */
export const flood: Turn = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1024 * 1024, 32);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};
