// An HTTP proxy that resolves names as the test says, with tunnels for https, and that may require a log-in.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterAll } from 'vitest';
import type { ServerCertificate } from './tls.js';

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Serves another server over TLS; resolves with the port. */
export function startTlsFront(certificate: ServerCertificate, target: string): Promise<number> {
  return listen(createHttpsServer(certificate, (incoming, response) => forward(incoming, response, target)));
}

function forward(incoming: IncomingMessage, response: ServerResponse, target: string): void {
  const { method, headers, url = '' } = incoming;
  const { pathname, search } = new URL(url, target);
  const outgoing = request(`${target}${pathname}${search}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

export interface ConnectProxyOptions {
  /** Local ports by host name. Other hosts, except 127.0.0.1, are refused with 403. */
  readonly ports: Readonly<Record<string, number>>;
  /** `name:password` */
  readonly login?: string;
}

/** `requests` are those that the proxy was asked for: `CONNECT host:port` and `METHOD http://host/`. */
export async function startConnectProxy({ ports, login }: ConnectProxyOptions) {
  const requests: string[] = [];

  /** The port to connect to, or the status of a refusal. */
  function check({ headers }: IncomingMessage, target: URL): { port: number } | { status: number } {
    const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    if (headers['proxy-authorization'] !== expected) return { status: 407 };
    const port = target.hostname === '127.0.0.1' ? Number(target.port) : ports[target.hostname];
    return port === undefined ? { status: 403 } : { port };
  }

  const server = createServer((incoming, response) => {
    const { method, url = '' } = incoming;
    const target = new URL(url);
    requests.push(`${method} ${target.origin}${target.pathname}`);
    const result = check(incoming, target);
    if ('status' in result) response.writeHead(result.status).end();
    else forward(incoming, response, `http://127.0.0.1:${result.port}`);
  });
  server.on('connect', (incoming, socket) => {
    const { url = '' } = incoming;
    requests.push(`CONNECT ${url}`);
    const result = check(incoming, new URL(`https://${url}`));
    if ('status' in result) return void socket.end(`HTTP/1.1 ${result.status} No\r\n\r\n`);
    const target = connect(result.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [socket, target]) end.on('error', () => socket.destroy());
  });
  const port = await listen(server);
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, requests };
}
