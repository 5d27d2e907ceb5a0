// HTTP over a plain socket, for requests that no client library sends.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Everything the server sends until it closes the connection. */
export async function exchange(port: number, write: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // The server may close while we still write; only its response counts.
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  write(socket);
  await closed;
  return received;
}

export function parseRaw(received: string) {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) };
}
