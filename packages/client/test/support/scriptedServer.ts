// An HTTP server with scripted responses: one per request, in order; the last one repeats.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Responder = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

export function startScriptedServer(...responders: readonly Responder[]) {
  return startScriptedServerAt(0, ...responders);
}

export async function startScriptedServerAt(port: number, ...responders: readonly Responder[]) {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const respond = responders[Math.min(received.length, responders.length - 1)];
    received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    respond?.(request, response);
    // Responders that need the body start reading it synchronously.
    if (!request.readableFlowing) request.resume();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export const respondJson =
  (status: number, body: unknown, headers: Record<string, string> = {}): Responder =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const respondText =
  (status: number, body: string): Responder =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  };

/** Closes the connection before any response. */
export const closeConnection: Responder = (request) => {
  request.socket.destroy();
};

/** Closes the connection in the middle of the response. */
export const closeMidResponse: Responder = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"status":', () => request.socket.destroy());
};

/** Never responds. */
export const hang: Responder = () => {};

/** A response that never ends. */
export const respondEndlessly: Responder = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1024 * 1024, 32);
  const writeMore = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', writeMore);
  writeMore();
};

/** A response without a body. */
export const respondWith =
  (status: number, headers: Record<string, string>): Responder =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };
