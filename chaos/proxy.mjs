// A TCP proxy in front of a server that can degrade the connection: cut it, stall it, slow it down or respond with an error.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {Awaited<ReturnType<typeof startProxy>>} Proxy */

const HTTP_ERROR = 'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

/**
 * Forwards each connection to the first target that accepts it, round robin.
 * @param {readonly number[]} initialTargets local ports
 */
export async function startProxy(initialTargets) {
  let targets = initialTargets;
  /** @type {Set<{ clientSocket: Socket, serverSocket: Socket | undefined }>} */
  const pairs = new Set();
  let turn = 0;
  let isCut = false;
  let isStalled = false;
  let isFailing = false;
  let delayMs = 0;
  /** Resumes stalled connections. @type {(() => void)[]} */
  let waiting = [];

  const server = createServer((clientSocket) => {
    const pair = { clientSocket, serverSocket: /** @type {Socket | undefined} */ (undefined) };
    pairs.add(pair);
    clientSocket.on('error', () => {});
    clientSocket.once('close', () => {
      pair.serverSocket?.destroy();
      pairs.delete(pair);
    });
    if (isCut) return void clientSocket.resetAndDestroy();
    if (isFailing) return void clientSocket.once('data', () => clientSocket.end(HTTP_ERROR));
    turn += 1;
    connectToTarget(pair, targets.length);
  });

  /** @param {{ clientSocket: Socket, serverSocket: Socket | undefined }} pair @param {number} attempts */
  function connectToTarget(pair, attempts) {
    const target = targets[(turn + attempts) % targets.length] ?? 0;
    const serverSocket = connect(target, '127.0.0.1');
    serverSocket.on('error', () => {});
    const tryNext = () => {
      if (attempts > 1 && !pair.clientSocket.destroyed) connectToTarget(pair, attempts - 1);
      else pair.clientSocket.resetAndDestroy();
    };
    serverSocket.once('error', tryNext);
    serverSocket.once('connect', () => {
      serverSocket.off('error', tryNext);
      if (pair.clientSocket.destroyed) return void serverSocket.destroy();
      pair.serverSocket = serverSocket;
      serverSocket.once('close', () => pair.clientSocket.destroy());
      forward(pair.clientSocket, serverSocket);
      forward(serverSocket, pair.clientSocket);
    });
  }

  async function applyDegradation() {
    if (isStalled) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  }

  /**
   * In order, one chunk at a time, so that a slow connection applies backpressure to the sender.
   * @param {Socket} from
   * @param {Socket} to
   */
  async function forward(from, to) {
    try {
      for await (const chunk of from) {
        await applyDegradation();
        if (to.destroyed) return;
        if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      to.end();
    } catch {
      to.destroy();
    }
  }

  function reset() {
    for (const { clientSocket } of pairs) clientSocket.resetAndDestroy();
  }

  function open() {
    isCut = false;
    isStalled = false;
    isFailing = false;
    delayMs = 0;
    const stalled = waiting;
    waiting = [];
    for (const resume of stalled) resume();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** For new connections. @param {readonly number[]} ports */
    setTargets(ports) {
      targets = ports;
    },
    /** Resets every open connection. */
    reset,
    /** Resets every connection and refuses new ones. */
    cut() {
      isCut = true;
      reset();
    },
    /** Responds to every HTTP request with status 500. */
    fail() {
      isFailing = true;
      reset();
    },
    /** Keeps connections open but holds all data back until `open`. */
    stall() {
      isStalled = true;
    },
    /** Delays each chunk. @param {number} ms */
    slowDown(ms) {
      delayMs = ms;
    },
    open,
    async close() {
      open();
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}
