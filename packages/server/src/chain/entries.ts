// Entries of the curated registry, many at a time, for those who compare them with what the service has written down.

import { curatedManifestIds } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import type { PublicClient } from 'viem';
import type { AuditedEntry, Hex } from '../domain/ports/index.js';

const noId = `0x${'00'.repeat(16)}`;

/** One call for all tells which there are; what they say is asked one by one, and travels together. */
export async function readEntries(
  node: PublicClient,
  registry: Hex,
  fingerprints: readonly Hex[],
): Promise<ReadonlyMap<Hex, AuditedEntry>> {
  if (fingerprints.length === 0) return new Map();
  const ids = await curatedManifestIds(node, registry, fingerprints);
  if (ids.length !== fingerprints.length) throw new Error('the contract answered for another number of fingerprints');
  const there = fingerprints.filter((_, index) => ids[index] !== noId);
  const entries = there.map(async (fingerprint): Promise<[Hex, AuditedEntry]> => {
    const [, , artifactId, manifestHash] = await node.readContract({
      address: registry,
      abi: contentRegistryAbi,
      functionName: 'resolveByBindingDetailed',
      args: [fingerprint],
    });
    return [fingerprint, { artifactId, manifestHash }];
  });
  return new Map(await Promise.all(entries));
}
