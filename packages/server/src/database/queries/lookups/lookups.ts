// Queries about fingerprints: own records and the mirror of the chain in one statement.

import { checksumAddress, type Fingerprint } from '@provenance-registry/core';
import { CompiledQuery } from 'kysely';
import type { FingerprintHolder, Lookups } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import { byteArray } from '../../bytes.js';
import type { Database } from '../../connection.js';
import type { ReadReplica } from '../../readReplica.js';
import { prefixLists } from './fingerprintLists.js';
import { CURATED_ENDPOINTS, IS_CHAIN_KNOWN, sourceName } from './mirrorState.js';

export function lookupQueries(database: Database, replica?: ReadReplica): Lookups {
  return {
    findHolder: batchLoad(async (fingerprints) => {
      const artifacts = await findArtifacts(replica, fingerprints);
      const others = fingerprints.filter((fingerprint) => !artifacts.has(fingerprint));
      if (others.length === 0) return artifacts;
      return new Map([...artifacts, ...(await findHolders(database, others))]);
    }),
    listByPrefix: prefixLists(database),
    isOnChainWithoutArtifact: async (manifestId) => {
      const found = await database
        .selectFrom('chain_entries')
        .select('source')
        .where('manifest_id', '=', manifestId)
        .where('source', '=', 1)
        .where('is_own', '=', false)
        .executeTakeFirst();
      return found !== undefined;
    },
  };
}

/** Those that the replica has. Without one, and while it is of no use, none. */
async function findArtifacts(
  replica: ReadReplica | undefined,
  fingerprints: readonly Fingerprint[],
): Promise<Map<Fingerprint, FingerprintHolder>> {
  const database = replica?.database;
  if (!replica || !database) return new Map();
  try {
    const holders = await findHolders(database, fingerprints);
    return new Map([...holders].filter(([, { kind }]) => kind === 'artifact'));
  } catch (error) {
    replica.reportFailure(error);
    return new Map();
  }
}

/**
 * One row for each fingerprint, in order. Written out, as everything here is on the path of every lookup: the query builder
 * would take longer than the driver. A curated entry hides a public one even if its own data is not returned.
 */
const FIND_HOLDERS = `
  select
    coalesce(own.rendition_of, own.id) as "artifactId",
    chain.entry,
    case when own.id is null then ${IS_CHAIN_KNOWN} end as "isChainKnown"
  from unnest($1::bytea[]) with ordinality wanted (fingerprint, position)
  left join artifacts own on own.fingerprint = wanted.fingerprint and own.error_reason is null
  left join lateral (
    select case when manifest_id is not null then json_build_object(
      'source', source,
      'manifestId', manifest_id,
      'registeredBy', encode(registered_by, 'hex'),
      'endpoints', case source when 1 then ${CURATED_ENDPOINTS} else endpoints end
    ) end as entry
    from chain_entries
    where own.id is null and chain_entries.fingerprint = wanted.fingerprint
    order by source limit 1
  ) chain on true
  order by position`;

interface HolderRow {
  readonly artifactId: string | null;
  readonly entry: {
    readonly source: number;
    readonly manifestId: string;
    readonly registeredBy: string;
    readonly endpoints: readonly string[] | null;
  } | null;
  /** Null for an Artifact. */
  readonly isChainKnown: boolean | null;
}

async function findHolders(
  database: Database,
  fingerprints: readonly Fingerprint[],
): Promise<Map<Fingerprint, FingerprintHolder>> {
  const wanted = byteArray(fingerprints.map((fingerprint) => fingerprint.slice(2)));
  const { rows } = await database.executeQuery(CompiledQuery.raw(FIND_HOLDERS, [wanted]));
  const holders = new Map<Fingerprint, FingerprintHolder>();
  for (const [index, fingerprint] of fingerprints.entries()) {
    const holder = toHolder(rows[index] as HolderRow);
    if (holder) holders.set(fingerprint, holder);
  }
  return holders;
}

function toHolder({ artifactId, entry, isChainKnown }: HolderRow): FingerprintHolder | undefined {
  if (artifactId !== null) return { kind: 'artifact', artifactId };
  if (entry?.endpoints?.length) {
    const { manifestId, endpoints } = entry;
    const source = sourceName(entry.source);
    return {
      kind: 'chain',
      entry: { source, endpoints, manifestId, registeredBy: checksumAddress(entry.registeredBy) },
    };
  }
  return isChainKnown ? { kind: 'none' } : undefined;
}
