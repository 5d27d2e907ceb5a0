// A TCP proxy in front of PostgreSQL that cuts a connection when a certain statement is about to be sent, and
// tells of each statement.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

export interface CuttingProxy {
  readonly url: string;
  /** Cuts the connection on which the statement with this number is sent, counted from now on all of them, and it is not sent. */
  arm(statement: number): void;
  /** Returns whether a connection was cut since. */
  disarm(): boolean;
}

/** Types of the messages with which the driver begins a statement: Query, Parse, and Bind of one that is prepared. */
const STATEMENT_STARTS = Buffer.from('QPB');

/** @param onStatement gets what the client sent with the statement */
export async function startCuttingProxy(
  databaseUrl: string,
  onStatement: (message: Buffer) => void = () => {},
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let remaining = Number.POSITIVE_INFINITY;
  let hasCut = false;

  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        cut();
      });
      socket.on('error', cut);
    }
    client.on('data', (chunk) => {
      if (STATEMENT_STARTS.includes(chunk.readUInt8(0))) {
        remaining -= 1;
        onStatement(chunk);
      }
      if (remaining > 0) {
        database.write(chunk);
        return;
      }
      remaining = Number.POSITIVE_INFINITY;
      hasCut = true;
      cut();
    });
    database.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(databaseUrl);
  // The server listens on TCP.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    arm(statement) {
      remaining = statement;
      hasCut = false;
    },
    disarm() {
      remaining = Number.POSITIVE_INFINITY;
      return hasCut;
    },
  };
}
