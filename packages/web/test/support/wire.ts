// A wire between the browser and the service that notes every byte which the browser sends.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface Wire {
  /** What the browser takes for the service. */
  readonly url: string;
  /** Where the service really is. */
  leadTo(serviceUrl: string): void;
  /** Everything that was sent from now on, in one piece. */
  listen(): () => Buffer;
}

export async function layWire(): Promise<Wire> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  let target = { host: '', port: 0 };
  const server = createServer((near) => {
    const far = connect(target);
    near.on('data', (chunk) => chunks.push(chunk));
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      // Whatever ends one end ends the other.
      socket.on('error', () => {}).on('close', () => [near, far].map((end) => end.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(serviceUrl) {
      const { hostname, port } = new URL(serviceUrl);
      target = { host: hostname, port: Number(port) };
    },
    listen() {
      const from = chunks.length;
      return () => Buffer.concat(chunks.slice(from));
    },
  };
}
