// Queries about fingerprints: own records and the mirror of the chain in one statement.

import { checksumAddress, type Fingerprint, MAX_PAGE_ENTRIES, type PrefixEntry } from '@provenance-registry/core';
import { CompiledQuery } from 'kysely';
import type {
  ChainEntry,
  FingerprintHolder,
  Lookups,
  PrefixQuestion,
  RegisteredFingerprints,
} from '../../domain/ports/index.js';
import { batchLoad } from '../batching.js';
import { bytes } from '../bytes.js';
import type { Database } from '../connection.js';

export function lookupQueries(database: Database): Lookups {
  return {
    findHolder: batchLoad((fingerprints) => findHolders(database, fingerprints)),
    listByPrefix: (question) => listByPrefix(database, question),
  };
}

/** How long after the node was last read, and how many blocks behind it, the mirror still stands for the chain. */
const MAX_MIRROR_AGE = '30 s';
const MAX_BLOCKS_BEHIND = 2;

/** No row, or an empty column: the mirror is not complete. */
const IS_CHAIN_KNOWN = `coalesce((
  select checked_at > now() - interval '${MAX_MIRROR_AGE}' and head_block - mirrored_block <= ${MAX_BLOCKS_BEHIND}
  from chain_mirror
), false)`;

/** Of all curated entries. */
const CURATED_ENDPOINTS = '(select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1)';

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
  // The array as text: the driver would convert each fingerprint to bytes and back.
  const wanted = `{${fingerprints.map((fingerprint) => `"\\\\x${fingerprint.slice(2)}"`).join()}}`;
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

const FINGERPRINT_DIGITS = 64;
const UUID_LENGTH = 36;
const NO_MARK = ' '.repeat(UUID_LENGTH);

/**
 * What each table has above $1 and up to $2. Artifacts are records of fixed length: anything else takes longer than reading
 * them. An entry of the chain whose data is not returned has no id; a curated one still hides a public one.
 */
const listByPrefixQuery = (markId: string) => `
  select
    (select string_agg(encode(fingerprint, 'hex') || coalesce(rendition_of, id) || ${markId}, '') from (
      select fingerprint, id, rendition_of, mark_id from artifacts
      where fingerprint > $1 and fingerprint <= $2 and error_reason is null
      order by fingerprint limit ${MAX_PAGE_ENTRIES}
    ) own) as artifacts,
    (select json_agg(json_build_array(
      encode(fingerprint, 'hex'), source, case when source = 2 or cardinality(${CURATED_ENDPOINTS}) > 0 then manifest_id end
    )) from (
      select distinct on (fingerprint) fingerprint, source, manifest_id from chain_entries
      where fingerprint > $1 and fingerprint <= $2 and not is_own
      order by fingerprint, source limit ${MAX_PAGE_ENTRIES}
    ) others) as "chainEntries",
    ${IS_CHAIN_KNOWN} as "isChainKnown",
    (select max(reltuples) from pg_class where oid in ('artifacts'::regclass, 'chain_entries'::regclass)) as "registeredCount"`;

const LIST_BARE = listByPrefixQuery("''");
const LIST_WITH_MARKS = listByPrefixQuery(`case
  when exists (select from marks where marks.id = mark_id and visibility = 'private') then '${NO_MARK}' else mark_id::text
end`);

interface ListRow {
  readonly artifacts: string | null;
  readonly chainEntries: readonly (readonly [digits: string, source: number, manifestId: string | null])[] | null;
  readonly isChainKnown: boolean;
  /** As of the last vacuum. Our own registrations are in both tables. */
  readonly registeredCount: number;
}

async function listByPrefix(
  database: Database,
  { prefix, after, withMarks }: PrefixQuestion,
): Promise<RegisteredFingerprints> {
  // Fewer bytes are less than all that start with them.
  const start = after ? bytes(after) : Buffer.from(prefix.length % 2 === 0 ? prefix : `${prefix}0`, 'hex');
  const end = Buffer.from(prefix.padEnd(FINGERPRINT_DIGITS, 'f'), 'hex');
  const { rows } = await database.executeQuery(
    CompiledQuery.raw(withMarks ? LIST_WITH_MARKS : LIST_BARE, [start, end]),
  );
  const { artifacts, chainEntries, isChainKnown, registeredCount } = rows[0] as ListRow;
  return {
    artifacts: parseArtifacts(artifacts ?? '', withMarks),
    chainEntries: (chainEntries ?? []).map(([digits, source, manifestId]) => ({
      fingerprint: `0x${digits}`,
      source: sourceName(source),
      manifestId,
    })),
    isChainKnown,
    registeredCount,
  };
}

function parseArtifacts(records: string, withMarks: boolean): PrefixEntry[] {
  const entries: PrefixEntry[] = [];
  const length = FINGERPRINT_DIGITS + (withMarks ? 2 : 1) * UUID_LENGTH;
  for (let start = 0; start < records.length; start += length) {
    const idStart = start + FINGERPRINT_DIGITS;
    const markStart = idStart + UUID_LENGTH;
    const fingerprint: Fingerprint = `0x${records.slice(start, idStart)}`;
    const manifestId = records.slice(idStart, markStart);
    const markId = records.slice(markStart, start + length).trim();
    entries.push(markId === '' ? { fingerprint, manifestId } : { fingerprint, manifestId, markId });
  }
  return entries;
}

function sourceName(source: number): ChainEntry['source'] {
  return source === 1 ? 'curated' : 'public';
}
