// Queries about many fingerprints at once.

import { type AiPreferences, checksumAddress, type Fingerprint, type LicenseKey } from '@provenance-registry/core';
import { sql } from 'kysely';
import type { BulkLookups, ChainMatch, HolderDetails, HolderSummary } from '../../../domain/ports/index.js';
import { byteArray } from '../../bytes.js';
import { visibleMarkName } from '../claims/claims.js';
import { Queries } from '../queries.js';
import { CURATED_ENDPOINTS, IS_CHAIN_KNOWN, sourceName } from './mirrorState.js';

export class BulkLookupQueries extends Queries implements BulkLookups {
  async findHolders(fingerprints: readonly Fingerprint[]) {
    const { rows } = await sql<HolderRow>`
      with held as materialized (
        select * from artifacts
        where fingerprint = any(${toByteArray(fingerprints)}::bytea[]) and error_reason is null
      ), public_marks as materialized (
        select id, name, (
          select domain from mark_domains
          where mark_domains.mark_id = marks.id and verified_at is not null and ended_at is null
          order by verified_at, domain limit 1
        ) as verified_domain
        from marks where visibility = 'public' and id in (select mark_id from held)
      )
      select
        '0x' || encode(held.fingerprint, 'hex') as fingerprint, coalesce(held.rendition_of, held.id) as "artifactId",
        coalesce(original.created_at, held.created_at) as "createdAt",
        mark.id as "markId", mark.name as "markName", mark.verified_domain as "verifiedDomain",
        metadata.value #>> '{mark,name}' as "markNameAtRegistration",
        metadata.value ->> 'licenseKey' as "licenseKey",
        (metadata.value ->> 'allowAiTraining')::boolean as "allowAiTraining",
        coalesce(original.ai_preferences, held.ai_preferences) as "aiPreferences",
        case when mark.id is not null then (
          select json_build_object(
            'contested', bool_or(ended_as is null and evidence_state = 'checked'),
            'supersededBy', (
              select json_build_object('id', marks.id, 'name', ${visibleMarkName})
              from claims conceded join marks on marks.id = conceded.mark_id
              where conceded.artifact_id = coalesce(held.rendition_of, held.id) and ended_as = 'superseded'
              order by conceded.created_at limit 1
            )
          )
          from claims where claims.artifact_id = coalesce(held.rendition_of, held.id) having count(*) > 0
        ) end as claims
      from held
      left join artifacts original on original.id = held.rendition_of
      cross join lateral (select coalesce(original.metadata, held.metadata) as value) metadata
      left join public_marks mark on mark.id = held.mark_id`.execute(this.database);
    return new Map(rows.map((row) => [row.fingerprint, toHolder(row)]));
  }

  async findMirrored(fingerprints: readonly Fingerprint[]) {
    const { rows } = await sql<EntryRow>`
      select
        '0x' || encode(entry.fingerprint, 'hex') as fingerprint, entry.source, entry.manifest_id as "manifestId",
        encode(entry.registered_by, 'hex') as "registeredBy", entry.registered_at as "registeredAt",
        case entry.source when 1 then ${sql.raw(CURATED_ENDPOINTS)} else entry.endpoints end as endpoints,
        ${sql.raw(IS_CHAIN_KNOWN)} as "isChainKnown"
      from (values (1)) always
      left join lateral (
        -- A curated entry hides a public one even if its own data is not returned.
        select distinct on (fingerprint) * from chain_entries
        where fingerprint = any(${toByteArray(fingerprints)}::bytea[])
        order by fingerprint, source
      ) entry on true`.execute(this.database);
    const formatAccount = createAccountFormatter();
    const entries = rows.flatMap((row): [Fingerprint, ChainMatch][] => {
      const { fingerprint, manifestId, endpoints, registeredBy, registeredAt } = row;
      if (!fingerprint || !registeredBy || !registeredAt || manifestId === null || !endpoints?.length) return [];
      const source = sourceName(Number(row.source));
      return [
        [
          fingerprint,
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
  }
}

function toByteArray(fingerprints: readonly Fingerprint[]): string {
  return byteArray(fingerprints.map((fingerprint) => fingerprint.slice(2)));
}

/** Most entries have one of a few writers, and a checksum takes longer than the rest of an entry. */
function createAccountFormatter(): (digits: string) => string {
  const known = new Map<string, string>();
  return (digits) => {
    const address = known.get(digits) ?? checksumAddress(digits);
    known.set(digits, address);
    return address;
  };
}

interface HolderRow {
  readonly fingerprint: Fingerprint;
  readonly artifactId: string;
  readonly createdAt: Date;
  /** Null if the Mark is private. */
  readonly markId: string | null;
  readonly markName: string | null;
  readonly verifiedDomain: string | null;
  readonly markNameAtRegistration: string | null;
  readonly licenseKey: LicenseKey;
  readonly allowAiTraining: boolean | null;
  readonly aiPreferences: AiPreferences | null;
  /** Null if there are none. */
  readonly claims: Pick<HolderDetails, 'contested' | 'supersededBy'> | null;
}

function toHolder(row: HolderRow): HolderSummary {
  const { artifactId, createdAt, markId, markName, verifiedDomain, claims } = row;
  if (markId === null || markName === null) return { artifactId, createdAt, details: undefined };
  const { markNameAtRegistration, licenseKey, allowAiTraining, aiPreferences } = row;
  const { contested = false, supersededBy = null } = claims ?? {};
  return {
    artifactId,
    createdAt,
    details: {
      mark: { id: markId, name: markName },
      markNameAtRegistration,
      licenseKey,
      allowAiTraining,
      aiPreferences,
      verifiedDomain,
      contested,
      supersededBy,
    },
  };
}

/** A row of an entry, or, if there is none, one that only tells whether the chain is known. */
interface EntryRow {
  readonly fingerprint: Fingerprint | null;
  readonly source: number | null;
  readonly manifestId: string | null;
  readonly registeredBy: string | null;
  readonly registeredAt: Date | null;
  readonly endpoints: readonly string[] | null;
  readonly isChainKnown: boolean;
}
