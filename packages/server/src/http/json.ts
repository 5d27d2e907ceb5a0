// Parses JSON bodies: valid UTF-8 only, and no keys that could change prototypes.

import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseJson(body),
  );
}

function parseJson(body: Uint8Array): unknown {
  const text = decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RegistryError('BAD_REQUEST', text ? 'The body is not valid JSON.' : 'The body is empty.');
  }
  // A quick check of the text: bodies rarely need the walk.
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

/** Without recursion: only its size limits how deeply a body is nested. */
function refusePrototypeKeys(value: unknown): void {
  const remaining = [value];
  while (remaining.length > 0) {
    const next = remaining.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__') || Object.hasOwn(next, 'constructor')) {
      throw new RegistryError('BAD_REQUEST', 'The body has a key that is not allowed: __proto__ or constructor.');
    }
    for (const child of Object.values(next)) remaining.push(child);
  }
}
