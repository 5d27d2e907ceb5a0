// Lists all registered fingerprints below a prefix, in pages.

import { prefixDigitsFor, RegistryError } from '@provenance-registry/core';
import type { Ports, PrefixQuestion } from '../ports/index.js';

/** A `FingerprintBucket` as JSON, most of which comes from the store. Throws BAD_REQUEST for the cursor of another list. */
export async function listFingerprints(ports: Ports, question: PrefixQuestion): Promise<Buffer> {
  const { prefix, after } = question;
  if (after !== undefined && !after.startsWith(`0x${prefix}`)) {
    throw new RegistryError('BAD_REQUEST', 'The cursor is not one of this list.');
  }
  const { entriesJson, nextCursor, isChainKnown, registeredCount } = await ports.store.lookups.listByPrefix(question);
  const facts = JSON.stringify({ prefix, digits: prefixDigitsFor(registeredCount), isChainKnown, nextCursor });
  return Buffer.from(`${facts.slice(0, -1)},"entries":[${entriesJson}]}`);
}
