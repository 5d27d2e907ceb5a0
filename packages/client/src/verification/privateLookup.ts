// Looks a file up without telling the service which one: it is asked for all fingerprints with the same first digits.

import {
  type Fingerprint,
  type FingerprintBucket,
  isFingerprint,
  MIN_PREFIX_DIGITS,
  type PrefixEntry,
} from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import type { CallOptions } from '../clientOptions.js';
import { ApiError, InvalidArgumentError, InvalidResponseError } from '../errors.js';

/** A bucket has one page, unless someone filled it on purpose: this many are 131,072 entries. */
const MAX_PAGES = 32;

/**
 * What the service was told to look a file up.
 *
 * `prefix`: the first digits of its fingerprint, and nothing else as long as `isFileNamed` is false. Once the service has
 * the file, its record is read, which names the file. `fingerprint`: the whole fingerprint.
 * @example
 * ```ts
 * const isPrivate = ({ kind, isFileNamed }: LookupQuestion) => kind === 'prefix' && !isFileNamed;
 * ```
 */
export interface LookupQuestion {
  readonly kind: 'prefix' | 'fingerprint';
  /** Whether the service learned which file was looked up. */
  readonly isFileNamed: boolean;
  /** The digits that were sent, without `0x`; absent when the whole fingerprint was sent. */
  readonly prefix?: string;
}

/**
 * The result of a private lookup.
 * @example
 * ```ts
 * const { entry, prefix }: PrivateLookup = await findPrivately(client, fingerprint);
 * console.log(prefix, entry?.manifestId ?? 'not registered');
 * ```
 */
export interface PrivateLookup {
  /** The digits that the service was asked for, without `0x`. */
  readonly prefix: string;
  /** Undefined when the service has nothing for the fingerprint. */
  readonly entry: PrefixEntry | undefined;
  /** Whether the result covers the chain up to its latest blocks. */
  readonly isChainKnown: boolean;
}

/** The length of prefixes that each service announced last. */
const announcedDigits = new WeakMap<RegistryClient, number>();

/**
 * Looks a fingerprint up without telling the service which one: it is asked for all fingerprints that start with the same
 * digits, and sees those digits alone.
 * @throws InvalidArgumentError when the fingerprint is malformed; InvalidResponseError when the service lists something
 * else than it was asked for.
 * @example
 * ```ts
 * const { entry } = await findPrivately(client, fingerprint);
 * if (!entry) console.log('Not registered. The registry does not learn which file that was.');
 * ```
 */
export async function findPrivately(
  client: RegistryClient,
  fingerprint: Fingerprint,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<PrivateLookup> {
  if (!isFingerprint(fingerprint)) throw new InvalidArgumentError(`${fingerprint} is not a fingerprint.`);
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
    'The service does not answer private questions, only those with the whole fingerprint.',
  );
}

/** Every entry once, in order: a list that repeats itself could go on forever, and hide entries. */
function requireOrder({ prefix: listed, entries, nextCursor }: FingerprintBucket, prefix: string, cursor = ''): void {
  let previous = cursor;
  for (const { fingerprint } of entries) {
    if (listed !== prefix || !fingerprint.startsWith(`0x${prefix}`) || fingerprint <= previous) {
      throw new InvalidResponseError('The service lists fingerprints that it was not asked for.');
    }
    previous = fingerprint;
  }
  if (nextCursor !== null && nextCursor < previous) throw new InvalidResponseError('The pages of the list overlap.');
}

/**
 * In words, what the registry learned from a lookup.
 * @example
 * ```ts
 * if (verification.lookup) console.log(describeQuestion(verification.lookup));
 * ```
 */
export function describeQuestion({ kind, isFileNamed, prefix }: LookupQuestion): string {
  if (kind === 'fingerprint') return 'The registry was sent the fingerprint of this file.';
  const asked = `It was asked for all fingerprints that start with ${prefix}`;
  if (!isFileNamed) return `The registry does not learn which file you checked. ${asked}.`;
  return `${asked.replace('It', 'The registry')}. It has one that matches, whose record was then read: so it knows which file was checked.`;
}
