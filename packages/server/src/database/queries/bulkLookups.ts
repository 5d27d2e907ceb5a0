// Queries about many fingerprints at once.

import { type AiPreferences, checksumAddress, type Fingerprint, type LicenseKey } from '@provenance-registry/core';
import { sql } from 'kysely';
import {
  type BulkLookups,
  type ChainMatch,
  type HolderSummary,
  MIRROR_FRESH_MS,
  MIRROR_MAX_BLOCKS_BEHIND,
} from '../../domain/ports/index.js';
import { hex } from '../bytes.js';
import type { Database } from '../connection.js';
import { visibleMarkName } from './claims.js';

export function bulkLookupQueries(database: Database): BulkLookups {
  return {
    async findHolders(fingerprints) {
      const { rows } = await sql<HolderRow>`
        select
          held.fingerprint, original.id as "artifactId", original.created_at as "createdAt",
          mark.id as "markId", mark.name as "markName", mark.visibility = 'public' as "isPublic",
          original.metadata #>> '{mark,name}' as "markNameAtRegistration",
          original.metadata ->> 'licenseKey' as "licenseKey",
          original.metadata -> 'allowAiTraining' as "allowAiTraining", original.ai_preferences as "aiPreferences",
          case when mark.visibility = 'public' then (
            select domain from mark_domains
            where mark_domains.mark_id = mark.id and verified_at is not null and ended_at is null
            order by verified_at, domain limit 1
          ) end as "verifiedDomain",
          case when mark.visibility = 'public' then exists (
            select 1 from claims
            where claims.artifact_id = original.id and ended_as is null and evidence_state = 'checked'
          ) end as contested,
          case when mark.visibility = 'public' then (
            select json_build_object('id', marks.id, 'name', ${visibleMarkName})
            from claims join marks on marks.id = claims.mark_id
            where claims.artifact_id = original.id and ended_as = 'superseded'
            order by claims.created_at limit 1
          ) end as "supersededBy"
        from artifacts held
        join artifacts original on original.id = coalesce(held.rendition_of, held.id)
        join marks mark on mark.id = original.mark_id
        where held.fingerprint = any(${toByteArray(fingerprints)}::bytea[]) and held.error_reason is null`.execute(
        database,
      );
      return new Map(rows.map((row) => [hex(row.fingerprint), toHolder(row)]));
    },

    async findMirrored(fingerprints) {
      const { rows } = await sql<EntryRow>`
        select
          entry.fingerprint, entry.source, entry.manifest_id as "manifestId", entry.registered_by as "registeredBy",
          entry.registered_at as "registeredAt",
          case entry.source when 1 then (
            select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1
          ) else entry.endpoints end as endpoints,
          coalesce((
            select checked_at > now() - ${MIRROR_FRESH_MS} * interval '1 millisecond'
              and head_block - mirrored_block <= ${MIRROR_MAX_BLOCKS_BEHIND}
            from chain_mirror
          ), false) as "isChainKnown"
        from (values (1)) always
        left join lateral (
          -- A curated entry hides a public one even if its own data is not returned.
          select distinct on (fingerprint) * from chain_entries
          where fingerprint = any(${toByteArray(fingerprints)}::bytea[])
          order by fingerprint, source
        ) entry on true`.execute(database);
      const formatAccount = createAccountFormatter();
      const entries = rows.flatMap((row): [Fingerprint, ChainMatch][] => {
        const { fingerprint, manifestId, endpoints, registeredBy, registeredAt } = row;
        if (!fingerprint || !registeredBy || !registeredAt || manifestId === null || !endpoints?.length) return [];
        const source = row.source === 1 ? 'curated' : 'public';
        return [
          [
            hex(fingerprint),
            {
              source,
              manifestId,
              endpoints,
              registeredBy: formatAccount(registeredBy),
              registeredAt,
            },
          ],
        ];
      });
      return { entries: new Map(entries), isChainKnown: rows[0]?.isChainKnown ?? false };
    },
  };
}

/** As text: the driver would convert each fingerprint to bytes and back. */
function toByteArray(fingerprints: readonly Fingerprint[]): string {
  return `{${fingerprints.map((fingerprint) => `"\\\\x${fingerprint.slice(2)}"`).join()}}`;
}

/** Most entries have one of a few writers, and a checksum takes longer than the rest of an entry. */
function createAccountFormatter(): (account: Buffer) => string {
  const known = new Map<string, string>();
  return (account) => {
    const digits = account.toString('hex');
    const address = known.get(digits) ?? checksumAddress(digits);
    known.set(digits, address);
    return address;
  };
}

interface HolderRow {
  readonly fingerprint: Buffer;
  readonly artifactId: string;
  readonly createdAt: Date;
  readonly markId: string;
  readonly markName: string;
  readonly isPublic: boolean;
  readonly markNameAtRegistration: string | null;
  readonly licenseKey: LicenseKey;
  readonly allowAiTraining: boolean | null;
  readonly aiPreferences: AiPreferences | null;
  readonly verifiedDomain: string | null;
  readonly contested: boolean | null;
  readonly supersededBy: { readonly id: string; readonly name: string } | null;
}

function toHolder(row: HolderRow): HolderSummary {
  const { artifactId, createdAt, isPublic, markId, markName, contested, fingerprint: _, ...details } = row;
  return {
    artifactId,
    createdAt,
    details: isPublic ? { ...details, mark: { id: markId, name: markName }, contested: contested ?? false } : undefined,
  };
}

/** Without an entry, one row that only tells whether the chain is known. */
interface EntryRow {
  readonly fingerprint: Buffer | null;
  readonly source: number | null;
  readonly manifestId: string | null;
  readonly registeredBy: Buffer | null;
  readonly registeredAt: Date | null;
  readonly endpoints: readonly string[] | null;
  readonly isChainKnown: boolean;
}
