// Asks RFC 3161 time-stamp authorities over HTTP: the first, again after a fault, then the second.

import { randomBytes } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { Timestamper } from './cose.js';
import { der, derInteger, readDer, TAG } from './der.js';
import { sha256Imprint } from './timestampAuthority.js';

export interface TimestampClientOptions {
  /** Authorities in the order in which they are asked. */
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
}

/** A creation waits for it: an authority that needs longer is as good as away. */
const TIMEOUT_MS = 5_000;
const ATTEMPTS_EACH = 2;
/** A token with its certificates has a few kilobytes. */
const MAX_ANSWER_BYTES = 65_536;
/** PKIStatus: 0 granted, 1 granted with modifications; anything else is a refusal. */
const HIGHEST_GOOD_STATUS = 1;

export function timestampClient({ urls, timeoutMs = TIMEOUT_MS }: TimestampClientOptions): Timestamper {
  return {
    async stamp(data) {
      const faults: unknown[] = [];
      for (const url of urls) {
        for (let attempt = 0; attempt < ATTEMPTS_EACH; attempt += 1) {
          try {
            return await ask(url, data, timeoutMs);
          } catch (error) {
            faults.push(error);
          }
        }
      }
      throw new RegistryError('UNAVAILABLE', 'No time-stamp can be had right now.', {
        cause: new AggregateError(faults),
      });
    },
  };
}

async function ask(url: string, data: Uint8Array, timeoutMs: number): Promise<Buffer> {
  const imprint = sha256Imprint(data);
  // Positive, so that it comes back as it went.
  const nonce = Buffer.concat([Buffer.from([0x40]), randomBytes(8)]);
  const request = der(
    TAG.sequence,
    derInteger(Buffer.from([1])),
    imprint,
    derInteger(nonce),
    der(TAG.boolean, Buffer.from([0xff])),
  );
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: request,
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`the time-stamp authority answered ${response.status}`);
  const answer = Buffer.from(await response.arrayBuffer());
  if (answer.length > MAX_ANSWER_BYTES) throw new Error('the time-stamp authority answered too much');
  const token = readToken(answer);
  // A token over something else, or an old one sent again, must not get into a manifest.
  if (!token.includes(imprint.subarray(-32)) || !token.includes(nonce)) {
    throw new Error('the time-stamp is not over what was asked for');
  }
  return token;
}

function readToken(answer: Buffer): Buffer {
  const response = readDer(answer, 0).body;
  const status = readDer(response, 0);
  const [code = 255] = readDer(status.body, 0).body;
  if (code > HIGHEST_GOOD_STATUS) throw new Error(`the time-stamp authority refused: status ${code}`);
  return readDer(response, status.end).whole;
}
