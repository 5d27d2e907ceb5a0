// Looks a file up without telling the service which one: it is asked for all fingerprints with the same first digits.

import {
  type Fingerprint,
  type FingerprintBucket,
  isFingerprint,
  MIN_PREFIX_DIGITS,
  type PrefixEntry,
} from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import { ApiError, InvalidResponseError } from '../errors.js';

/** A bucket has one page, unless someone filled it on purpose: this many are 131,072 entries. */
const MAX_PAGES = 32;

interface PrefixLookup {
  /** The digits that were sent, without `0x`. */
  readonly prefix: string;
  /** Undefined when the service has nothing for the fingerprint. */
  readonly entry: PrefixEntry | undefined;
  /** Whether the result covers the chain up to its latest blocks. */
  readonly isChainKnown: boolean;
}

/** The length of prefixes that each service announced last. */
const announcedDigits = new WeakMap<RegistryClient, number>();

/** Rejects with InvalidResponseError when the service lists something else than was requested. */
export async function findByPrefix(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal?: AbortSignal,
): Promise<PrefixLookup> {
  const prefix = fingerprint.slice(2, 2 + (announcedDigits.get(client) ?? MIN_PREFIX_DIGITS));
  const found: PrefixEntry[] = [];
  let isChainKnown = true;
  let cursor: Fingerprint | undefined;
  // To the last page, also when the entry is found: where the client stops reading would tell more than the prefix.
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const bucket = await client.listFingerprints({ prefix, cursor }, { signal }).catch(explainOldService);
    requireOrder(bucket, prefix, cursor);
    found.push(...bucket.entries.filter((entry) => entry.fingerprint === fingerprint));
    isChainKnown &&= bucket.isChainKnown;
    if (bucket.nextCursor === null) {
      announcedDigits.set(client, bucket.digits);
      return { prefix, entry: found[0], isChainKnown };
    }
    if (!isFingerprint(bucket.nextCursor)) throw new InvalidResponseError('The cursor of the list is not one.');
    cursor = bucket.nextCursor;
  }
  throw new InvalidResponseError(`The service lists too many fingerprints that start with ${prefix}.`);
}

/** The fingerprint is not sent instead: a service that wants it would only have to refuse. */
function explainOldService(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  throw new InvalidResponseError(
    'The service does not support lookups by prefix, only those with the whole fingerprint.',
  );
}

/** Every entry once, in order: a list that repeats itself could go on forever, and hide entries. */
function requireOrder({ prefix: listed, entries, nextCursor }: FingerprintBucket, prefix: string, cursor = ''): void {
  let previous = cursor;
  for (const { fingerprint } of entries) {
    if (listed !== prefix || !fingerprint.startsWith(`0x${prefix}`) || fingerprint <= previous) {
      throw new InvalidResponseError('The service lists fingerprints that were not requested.');
    }
    previous = fingerprint;
  }
  if (nextCursor !== null && nextCursor < previous) throw new InvalidResponseError('The pages of the list overlap.');
}
