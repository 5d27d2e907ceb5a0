// Receives and parses JSON bodies: no larger than their operation takes, valid UTF-8 only, and no keys that could change
// prototypes.

import type { IncomingMessage } from 'node:http';
import { type JsonLimits, jsonLimitsOf, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MemoryBudget } from '../budgets/memoryBudget.js';
import { clientOf } from '../callOrigin.js';
import { JsonScanner, type MemberList } from './jsonScanner.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Of routes that are not in the API's declaration, and take no body. */
const noBody = jsonLimitsOf({ path: '' });

export function acceptJsonOnly(app: FastifyInstance, memory: MemoryBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const { bytes } = await receiveJson(request, memory);
    // Many clients always send a content type.
    if (bytes.length === 0 && request.routeOptions.config.operation?.body === undefined) return undefined;
    return parseJson(bytes);
  });
}

export interface ReceivedJson {
  readonly bytes: Buffer;
  readonly lists: readonly MemberList[];
}

/** Not by Fastify, which would let a thousand slow clients hold the largest body each. */
export function receiveJson(request: FastifyRequest, memory: MemoryBudget): Promise<ReceivedJson> {
  const { jsonLimits: limits = noBody } = request.routeOptions.config;
  const { raw: stream } = request;
  const scanner = new JsonScanner(limits);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const holding = memory.hold(clientOf(request), () => finish(busyError()));
    function finish(error?: unknown): void {
      holding.release();
      stream.off('data', add);
      if (error) reject(error);
      else resolve({ bytes: Buffer.concat(chunks, size), lists: scanner.lists });
      chunks.length = 0;
    }
    function add(chunk: Buffer): void {
      size += chunk.length;
      if (size > limits.maxBytes) finish(tooLargeError(limits));
      else if (!holding.add(chunk.length)) finish(busyError());
      else {
        chunks.push(chunk);
        scan(chunk);
      }
    }
    function scan(chunk: Buffer): void {
      try {
        scanner.add(chunk);
      } catch (error) {
        finish(error);
      }
    }
    if (declaredLength(stream) > limits.maxBytes) {
      finish(tooLargeError(limits));
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

function declaredLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLargeError({ maxBytes }: JsonLimits): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `The body is larger than this operation takes: ${maxBytes} bytes.`);
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
