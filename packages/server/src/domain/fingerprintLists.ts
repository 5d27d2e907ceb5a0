// Lists all registered fingerprints below a prefix, in pages: Artifacts, and entries of the chain that are of no Artifact.

import {
  type FingerprintBucket,
  MAX_PAGE_ENTRIES,
  type PrefixEntry,
  prefixDigitsFor,
  RegistryError,
} from '@provenance-registry/core';
import type { Ports, PrefixQuestion, RegisteredFingerprints } from './ports/index.js';

/** Throws BAD_REQUEST for the cursor of another list. */
export async function listFingerprints(ports: Ports, question: PrefixQuestion): Promise<FingerprintBucket> {
  const { prefix, after } = question;
  if (after !== undefined && !after.startsWith(`0x${prefix}`)) {
    throw new RegistryError('BAD_REQUEST', 'The cursor is not one of this list.');
  }
  const registered = await ports.store.lookups.listByPrefix(question);
  const { isChainKnown, registeredCount } = registered;
  return { prefix, digits: prefixDigitsFor(registeredCount), isChainKnown, ...mergePage(registered) };
}

/** If one of the lists may go on, the page ends with it: beyond its end, entries would be missing. */
function mergePage({
  artifacts,
  chainEntries,
}: RegisteredFingerprints): Pick<FingerprintBucket, 'entries' | 'nextCursor'> {
  const ends = [artifacts, chainEntries].map((list) => list[MAX_PAGE_ENTRIES - 1]?.fingerprint);
  const [end] = ends.filter((fingerprint) => fingerprint !== undefined).sort();
  const entries = mergeEntries(artifacts, chainEntries);
  if (end === undefined && entries.length <= MAX_PAGE_ENTRIES) return { entries, nextCursor: null };
  const page = entries.filter(({ fingerprint }) => end === undefined || fingerprint <= end).slice(0, MAX_PAGE_ENTRIES);
  return { entries: page, nextCursor: page[MAX_PAGE_ENTRIES - 1]?.fingerprint ?? end ?? null };
}

/** Both lists are in order already. An Artifact comes before an entry with the same fingerprint, and replaces it. */
function mergeEntries(
  artifacts: readonly PrefixEntry[],
  chainEntries: RegisteredFingerprints['chainEntries'],
): PrefixEntry[] {
  const merged: PrefixEntry[] = [];
  let next = 0;
  for (const { fingerprint, manifestId, source } of chainEntries) {
    let artifact = artifacts[next];
    for (; artifact && artifact.fingerprint < fingerprint; artifact = artifacts[next]) {
      merged.push(artifact);
      next += 1;
    }
    if (manifestId !== null && artifact?.fingerprint !== fingerprint) merged.push({ fingerprint, manifestId, source });
  }
  return [...merged, ...artifacts.slice(next)];
}
