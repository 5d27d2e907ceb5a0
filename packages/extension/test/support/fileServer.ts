// A server of web pages and files for the extension, good and bad ones, which remembers every request.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileServer {
  readonly port: number;
  readonly requests: IncomingMessage[];
  /** Browsers also request icons: only those for this path. */
  requestsFor(path: string): IncomingMessage[];
  /** At any host name that leads to this machine. */
  url(host: string, path: string): string;
  /** Any path that has no reply is 404. */
  serve(path: string, reply: Reply): void;
}

export async function startFileServer(): Promise<FileServer> {
  const replies = new Map<string, Reply>();
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const reply = replies.get(request.url ?? '');
    if (reply) reply(request, response);
    else response.writeHead(404, open).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    requestsFor: (path) => requests.filter(({ url }) => url === path),
    url: (host, path) => `http://${host}:${port}${path}`,
    serve: (path, reply) => void replies.set(path, reply),
  };
}

/** Files that every site may read. */
export const open = { 'access-control-allow-origin': '*' };

export function file(content: Uint8Array | string, headers: Readonly<Record<string, string>> = {}): Reply {
  return (_request, response) => void response.writeHead(200, headers).end(content);
}
