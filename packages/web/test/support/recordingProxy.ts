// A TCP proxy between the browser and the service that records every byte which the browser sends.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface RecordingProxy {
  /** The address for the browser. */
  readonly url: string;
  forwardTo(serviceUrl: string): void;
  /** Ends all connections. */
  disconnect(): void;
  /** Starts recording; the returned function returns everything that was sent since. */
  record(): () => Buffer;
}

export async function startRecordingProxy(): Promise<RecordingProxy> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  let target = { host: '', port: 0 };
  const server = createServer((browserSocket) => {
    const serviceSocket = connect(target);
    browserSocket.on('data', (chunk) => chunks.push(chunk));
    browserSocket.pipe(serviceSocket).pipe(browserSocket);
    const pair = [browserSocket, serviceSocket];
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => pair.map((end) => end.destroy()));
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
    forwardTo(serviceUrl) {
      const { hostname, port } = new URL(serviceUrl);
      target = { host: hostname, port: Number(port) };
    },
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
    record() {
      const start = chunks.length;
      return () => Buffer.concat(chunks.slice(start));
    },
  };
}
