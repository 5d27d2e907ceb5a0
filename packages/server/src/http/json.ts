// Reads JSON bodies: strict about their encoding, and without keys that reach for prototypes.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseJson(body),
  );
}

export function parseJson(body: Uint8Array): unknown {
  const text = decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RegistryError('BAD_REQUEST', text ? 'The body is not valid JSON.' : 'The body is empty.');
  }
  // Only a text with one of these in it can have such a key; the walk is rarely needed.
  if (/__proto__|constructor|\\u/.test(text)) refusePrototypeKeys(value);
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new RegistryError('BAD_REQUEST', 'The body is not valid UTF-8.');
  }
}

/** Without recursion: the nesting of a body is bounded by its size only. */
function refusePrototypeKeys(value: unknown): void {
  const unseen = [value];
  while (unseen.length > 0) {
    const next = unseen.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__') || Object.hasOwn(next, 'constructor')) {
      throw new RegistryError('BAD_REQUEST', 'The body has a key that is not allowed: __proto__ or constructor.');
    }
    for (const child of Object.values(next)) unseen.push(child);
  }
}
