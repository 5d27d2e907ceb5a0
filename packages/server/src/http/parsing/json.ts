// Parses JSON bodies: valid UTF-8 only, and no keys that could change prototypes.

import type { IncomingMessage } from 'node:http';
import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MemoryBudget } from '../budgets/memoryBudget.js';
import { clientOf } from '../callOrigin.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptJsonOnly(app: FastifyInstance, maxBytes: number, memory: MemoryBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, body: IncomingMessage) => {
    const { maxJsonBytes = maxBytes } = request.routeOptions.config;
    const bytes = await receiveBody(body, maxJsonBytes, clientOf(request), memory);
    // Many clients always send a content type.
    if (bytes.length === 0 && request.routeOptions.config.operation?.body === undefined) return undefined;
    return parseJson(bytes);
  });
}

/** Not by Fastify, which would let a thousand slow clients hold the largest body each. */
function receiveBody(stream: IncomingMessage, maxBytes: number, client: string, memory: MemoryBudget): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const holding = memory.hold(client, () => finish(busyError()));
    function finish(error?: RegistryError): void {
      holding.release();
      stream.off('data', add);
      if (error) reject(error);
      else resolve(Buffer.concat(chunks, size));
      chunks.length = 0;
    }
    function add(chunk: Buffer): void {
      size += chunk.length;
      if (size > maxBytes) finish(tooLargeError());
      else if (!holding.add(chunk.length)) finish(busyError());
      else chunks.push(chunk);
    }
    if (Number(stream.headers['content-length'] ?? 0) > maxBytes) {
      finish(tooLargeError());
      return;
    }
    stream.on('data', add);
    stream.once('end', () => finish());
    stream.on('error', () => finish(incompleteError()));
    stream.once('close', () => {
      if (!stream.readableEnded) finish(incompleteError());
    });
  });
}

function tooLargeError(): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', 'The body is too large for this operation.');
}

export function busyError(): RegistryError {
  return new RegistryError('UNAVAILABLE', 'The service is too busy right now. Try again in a moment.');
}

export function incompleteError(): RegistryError {
  return new RegistryError('BAD_REQUEST', 'The body is incomplete.');
}

/** @param what it is, for the error */
export function parseJson(bytes: Uint8Array, what: 'body' | 'line' = 'body'): unknown {
  const text = decode(bytes, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RegistryError('BAD_REQUEST', text ? `The ${what} is not valid JSON.` : `The ${what} is empty.`);
  }
  // A quick check of the text: bodies rarely need the walk.
  if (/__proto__|constructor|\\u/.test(text)) refusePrototypeKeys(value, what);
  return value;
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RegistryError('BAD_REQUEST', `The ${what} is not valid UTF-8.`);
  }
}

/** Works without recursion: only its size limits how deeply a body is nested. */
function refusePrototypeKeys(value: unknown, what: string): void {
  const remaining = [value];
  while (remaining.length > 0) {
    const next = remaining.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__') || Object.hasOwn(next, 'constructor')) {
      throw new RegistryError('BAD_REQUEST', `The ${what} has a key that is not allowed: __proto__ or constructor.`);
    }
    for (const child of Object.values(next)) remaining.push(child);
  }
}
