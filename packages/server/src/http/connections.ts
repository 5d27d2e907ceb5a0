// The connections behind requests: responses to what never became a request, requests that are answered before they have
// arrived, and the end of connections while the server closes.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sendParserError } from './errors.js';
import { createRequestId } from './requestMonitoring.js';

export class Connections {
  /** Sockets by request: one whose body is given up loses its socket. */
  readonly #sockets = new WeakMap<IncomingMessage, Socket>();
  readonly #latestResponses = new WeakMap<Socket, ServerResponse>();

  /**
   * @param lingerMs for a client to read a response that was sent before all of its request arrived
   * @param stopping aborts when connections are to end with their next response
   */
  constructor(
    private readonly lingerMs: number,
    private readonly stopping?: AbortSignal,
  ) {}

  manage(app: FastifyInstance): void {
    const { server } = app;
    server.on('request', (request, response) => {
      this.#latestResponses.set(request.socket, response);
      this.#sockets.set(request, request.socket);
    });
    // By default, Node answers these two kinds of request without a body, or not at all.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    server.on('connect', (_request, socket) => sendParserError({}, socket, createRequestId()));

    app.addHook('onSend', async (request, reply) => {
      if (this.stopping?.aborted) reply.header('connection', 'close');
      // Fastify closes the connection of a request that it did not read to its end; #drain reads the rest.
      else if (!request.raw.complete) reply.removeHeader('connection');
    });
    app.addHook('onResponse', async ({ raw }) => {
      if (!raw.complete) this.#drain(raw);
    });
  }

  /** Responds to what the HTTP parser rejected. */
  rejectUnparsed(error: Error & { readonly code?: string }, socket: Socket): void {
    // After a rejected request, the parser also rejects what follows it on the same socket.
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const response = this.#latestResponses.get(socket);
    if (response?.headersSent && !response.writableFinished) {
      // A second response would end up inside the first.
      socket.destroy();
      return;
    }
    sendParserError(error, socket, createRequestId());
    socket.resume();
    setTimeout(() => socket.destroy(), this.lingerMs).unref();
  }

  /**
   * Reads the rest of a request that was answered early. A client that is still sending would otherwise see a connection
   * error instead of the response. The connection stays open if the rest arrives in time.
   */
  #drain(request: IncomingMessage): void {
    const socket = this.#sockets.get(request);
    request.resume();
    setTimeout(() => {
      if (!request.complete) socket?.destroy();
    }, this.lingerMs).unref();
  }
}
