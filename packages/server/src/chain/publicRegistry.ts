// Looks up who wrote a fingerprint to the public registry, and when.

import { createJsonRpcClient, type PublicEntry, readPublicEntries } from '@provenance-registry/chain-client';
import { RegistryError } from '@provenance-registry/core';
import type { Hex, PublicRegistry } from '../domain/ports/index.js';

/** Timeout of each call: as long as lookups wait for the chain. */
const CALL_TIMEOUT_MS = 1_000;
const PAGE_SIZE = 25;
/** Anyone can add entries for a fingerprint, which costs gas. An account behind so many others is not found. */
const MAX_ENTRIES = 200;
/** A page of the largest entries that the contract accepts has 150,000 characters. */
const MAX_RESULT_LENGTH = 256 * 1024;

export function createPublicRegistry({
  url,
  registry,
}: {
  readonly url: string;
  readonly registry: Hex;
}): PublicRegistry {
  const node = createJsonRpcClient({ url, timeoutMs: CALL_TIMEOUT_MS, maxResultLength: MAX_RESULT_LENGTH });

  async function readPage(fingerprint: Hex, offset: number, limit: number): Promise<PublicEntry[]> {
    try {
      return await readPublicEntries(node, registry, fingerprint, { offset, limit });
    } catch (cause) {
      throw chainUnavailableError(cause);
    }
  }

  async function find(fingerprint: Hex, account: Hex | undefined): Promise<PublicEntry | undefined> {
    if (!account) return (await readPage(fingerprint, 0, 1))[0];
    for (let offset = 0; offset < MAX_ENTRIES; offset += PAGE_SIZE) {
      const page = await readPage(fingerprint, offset, PAGE_SIZE);
      const entry = page.find(({ registeredBy }) => registeredBy.toLowerCase() === account.toLowerCase());
      if (entry || page.length < PAGE_SIZE) return entry;
    }
    return undefined;
  }

  return {
    async findEntry(fingerprint, account) {
      const entry = await find(fingerprint, account);
      return entry && { registeredBy: entry.registeredBy, time: new Date(entry.timestamp * 1000) };
    },
  };
}

export function chainUnavailableError(cause: unknown): RegistryError {
  return new RegistryError('UNAVAILABLE', 'The chain cannot be reached right now.', { cause });
}
