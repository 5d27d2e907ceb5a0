// Requests time-stamps from RFC 3161 authorities over HTTP, each twice before the next.

import { randomBytes } from 'node:crypto';
import { splitDer, TAG } from '@provenance-registry/c2pa';
import { RegistryError } from '@provenance-registry/core';
import { der, derInteger } from '../../asn1/der.js';
import { measure, timestampDuration } from '../../monitoring/metrics.js';
import type { Timestamper } from '../signing/cose.js';
import { sha256Imprint } from './timestampAuthority.js';

/** Creations wait for it. */
const TIMEOUT_MS = 5_000;
const ATTEMPTS_EACH = 2;
/** A token with its certificates has a few kilobytes. */
const MAX_RESPONSE_BYTES = 65_536;
/** PKIStatus: 0 granted, 1 granted with modifications; others are rejections. */
const MAX_GRANTED_STATUS = 1;
const EMPTY = Buffer.alloc(0);

/** @param urls authorities in order of preference */
export function timestampClient(urls: readonly string[], timeoutMs = TIMEOUT_MS): Timestamper {
  return {
    async stamp(data) {
      const errors: unknown[] = [];
      for (const [index, url] of urls.entries()) {
        const authority = index === 0 ? 'first' : 'fallback';
        for (let attempt = 0; attempt < ATTEMPTS_EACH; attempt += 1) {
          try {
            return await measure(
              (outcome, seconds) => timestampDuration.observe({ authority, outcome }, seconds),
              () => requestToken(url, data, timeoutMs),
            );
          } catch (error) {
            errors.push(error);
          }
        }
      }
      throw new RegistryError('UNAVAILABLE', 'Time-stamps are temporarily unavailable.', {
        cause: new AggregateError(errors),
      });
    },
  };
}

async function requestToken(url: string, data: Uint8Array, timeoutMs: number): Promise<Buffer> {
  const imprint = sha256Imprint(data);
  // Positive, so that the response has the same bytes.
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
  if (!response.ok) throw new Error(`the time-stamp authority responded with status ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > MAX_RESPONSE_BYTES) throw new Error('the response of the time-stamp authority is too large');
  const token = readToken(bytes);
  // Rejects a token for other data and a replayed one.
  if (!token.includes(imprint.subarray(-32)) || !token.includes(nonce)) {
    throw new Error('the time-stamp does not match the request');
  }
  return token;
}

function readToken(bytes: Buffer): Buffer {
  const [response] = splitDer(bytes);
  const [statusInfo, token] = splitDer(response?.body ?? EMPTY);
  const [status] = splitDer(statusInfo?.body ?? EMPTY);
  const [code = 255] = status?.body ?? EMPTY;
  if (code > MAX_GRANTED_STATUS) throw new Error(`the time-stamp authority rejected the request with status ${code}`);
  if (!token) throw new Error('the response of the time-stamp authority has no time-stamp');
  return Buffer.from(token.whole);
}
