// Reads many entries of the curated registry at once, for the audit.

import {
  findRegistrationLog,
  type JsonRpcClient,
  readCuratedManifestIds,
  readEntry,
} from '@provenance-registry/chain-client';
import type { AuditedEntry, Hex } from '../domain/ports/index.js';

/** One call finds the registered fingerprints; the calls for their entries share requests. */
export async function readEntries(
  node: JsonRpcClient,
  registry: Hex,
  fingerprints: readonly Hex[],
): Promise<ReadonlyMap<Hex, AuditedEntry>> {
  if (fingerprints.length === 0) return new Map();
  const ids = await readCuratedManifestIds(node, registry, fingerprints);
  const registered = fingerprints.filter((_, index) => ids[index] !== undefined);
  const entries = await Promise.all(
    registered.map(async (fingerprint) => [fingerprint, await readEntry(node, registry, fingerprint)] as const),
  );
  return new Map(
    entries.flatMap(([fingerprint, entry]) =>
      entry ? [[fingerprint, { artifactId: entry.manifestId, manifestHash: entry.manifestHash }]] : [],
    ),
  );
}

/** The transaction that registered this fingerprint in the curated registry. Throws when there is none. */
export async function findTransactionHash(node: JsonRpcClient, registry: Hex, fingerprint: Hex): Promise<Hex> {
  const entry = await readEntry(node, registry, fingerprint);
  const log = entry?.source === 'curated' && (await findRegistrationLog(node, registry, fingerprint, entry));
  if (!log) throw new Error(`no log of the registration of ${fingerprint} was found`);
  return log.transactionHash;
}
