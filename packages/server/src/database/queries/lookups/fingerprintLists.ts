// Lists the fingerprints below a prefix. The database returns Artifacts as digits, in records of one length, and the JSON is
// made of them here: in the database, a text of hundreds of entries took several times as long as finding them.

import { type Fingerprint, MAX_PAGE_ENTRIES } from '@provenance-registry/core';
import { CompiledQuery } from 'kysely';
import type { FingerprintPage, PrefixQuery } from '../../../domain/ports/index.js';
import { batchLoad } from '../../batching.js';
import { byteArray } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { ArtifactRecords, FINGERPRINT_DIGITS } from './fingerprintRecords.js';
import { CURATED_ENDPOINTS, IS_CHAIN_KNOWN, sourceName } from './mirrorState.js';

/** A page may have megabytes. */
const MAX_LISTS = 32;

/**
 * One row for each list: what each table has above `first` and up to `last`, in order. An entry of the chain whose data is not
 * returned has no id; a curated one still hides a public one.
 */
const listQuery = (mark: string) => `
  select
    (select encode(string_agg(fingerprint || uuid_send(coalesce(rendition_of, id))${mark}, ''), 'hex') from (
      select fingerprint, id, rendition_of, mark_id from artifacts
      where fingerprint > asked.first and fingerprint <= asked.last and error_reason is null
      order by fingerprint limit ${MAX_PAGE_ENTRIES}
    ) own) as artifacts,
    (select string_agg(encode(fingerprint, 'hex') || source || case
      when source = 2 or cardinality(${CURATED_ENDPOINTS}) > 0 then coalesce(manifest_id, '') else ''
    end, ' ') from (
      select distinct on (fingerprint) fingerprint, source, manifest_id from chain_entries
      where fingerprint > asked.first and fingerprint <= asked.last and not is_own
      order by fingerprint, source limit ${MAX_PAGE_ENTRIES}
    ) others) as "chainEntries",
    ${IS_CHAIN_KNOWN} as "isChainKnown",
    greatest(
      (select reltuples from pg_class where oid = 'artifacts'::regclass),
      (select reltuples from pg_class where oid = 'chain_entries'::regclass)
    ) as "registeredCount"
  from unnest($1::bytea[], $2::bytea[]) with ordinality asked (first, last, position)
  order by position`;

const NO_MARK = `'\\x${'00'.repeat(16)}'`;
const LIST_BARE = listQuery('');
const LIST_WITH_MARKS = listQuery(` || coalesce((
  select uuid_send(mark_id) from marks where marks.id = mark_id and visibility = 'public'
), ${NO_MARK})`);

interface ListRow {
  /** Digits of the records. */
  readonly artifacts: string | null;
  /** Digits of the fingerprint, source and id, separated by spaces. Untrusted ids are checked when they are mirrored. */
  readonly chainEntries: string | null;
  readonly isChainKnown: boolean;
  /** The count of the last vacuum. Our own registrations are in both tables. */
  readonly registeredCount: number;
}

export function prefixLists(database: Database): (query: PrefixQuery) => Promise<FingerprintPage> {
  const load = (withMarks: boolean) =>
    batchLoad<PrefixQuery, FingerprintPage>((queries) => listMany(database, queries, withMarks), MAX_LISTS);
  const [listBare, listWithMarks] = [load(false), load(true)];
  return async (query) => {
    const page = await (query.withMarks ? listWithMarks : listBare)(query);
    if (!page) throw new Error('a list is missing');
    return page;
  };
}

async function listMany(
  database: Database,
  queries: readonly PrefixQuery[],
  withMarks: boolean,
): Promise<Map<PrefixQuery, FingerprintPage>> {
  const query = withMarks ? LIST_WITH_MARKS : LIST_BARE;
  // Fewer bytes are less than all that start with them.
  const firsts = queries.map(
    ({ prefix, after }) => after?.slice(2) ?? (prefix.length % 2 === 0 ? prefix : `${prefix}0`),
  );
  const lasts = queries.map(({ prefix }) => prefix.padEnd(FINGERPRINT_DIGITS, 'f'));
  const { rows } = await database.executeQuery(CompiledQuery.raw(query, [byteArray(firsts), byteArray(lasts)]));
  return new Map(
    queries.map((query, index) => {
      const { artifacts, chainEntries, isChainKnown, registeredCount } = rows[index] as ListRow;
      const records = new ArtifactRecords(artifacts ?? '', withMarks);
      const others = chainEntries?.split(' ').map(toOtherEntry) ?? [];
      return [query, { ...mergePage(records, others), isChainKnown, registeredCount }];
    }),
  );
}

interface OtherEntry {
  readonly digits: string;
  /** Ends with a comma; empty when the entry stands, and its data is not returned. */
  readonly json: string;
}

function toOtherEntry(text: string): OtherEntry {
  const digits = text.slice(0, FINGERPRINT_DIGITS);
  const source = sourceName(Number(text[FINGERPRINT_DIGITS]));
  const manifestId = text.slice(FINGERPRINT_DIGITS + 1);
  if (manifestId === '') return { digits, json: '' };
  return { digits, json: `${JSON.stringify({ fingerprint: `0x${digits}`, manifestId, source })},` };
}

/**
 * An Artifact replaces an entry with its fingerprint. If one of the lists may go on, the page ends with it: beyond its end,
 * entries would be missing.
 */
function mergePage(
  artifacts: ArtifactRecords,
  others: readonly OtherEntry[],
): Pick<FingerprintPage, 'entriesJson' | 'nextCursor'> {
  const ends = [
    artifacts.count === MAX_PAGE_ENTRIES ? artifacts.digitsAt(MAX_PAGE_ENTRIES - 1) : undefined,
    others[MAX_PAGE_ENTRIES - 1]?.digits,
  ];
  const [end] = ends.filter((digits) => digits !== undefined).sort();
  let json = '';
  let size = 0;
  let next = 0;
  let last: string | undefined;

  function addArtifacts(until: number): void {
    const stop = Math.min(until, next + MAX_PAGE_ENTRIES - size);
    if (stop === next) return;
    json += artifacts.format(next, stop);
    size += stop - next;
    next = stop;
    last = artifacts.digitsAt(stop - 1);
  }

  for (const { digits, json: entry } of others) {
    if (end !== undefined && digits > end) break;
    addArtifacts(artifacts.findFrom(next, digits));
    if (size === MAX_PAGE_ENTRIES) break;
    if (entry === '' || (next < artifacts.count && artifacts.digitsAt(next) === digits)) continue;
    json += entry;
    size += 1;
    last = digits;
  }
  // Longer than `end`: the Artifact with exactly those digits is less.
  addArtifacts(end === undefined ? artifacts.count : artifacts.findFrom(next, `${end}0`));
  const cursor = size === MAX_PAGE_ENTRIES ? last : end;
  return {
    entriesJson: json.slice(0, -1),
    nextCursor: cursor === undefined ? null : toFingerprint(cursor),
  };
}

function toFingerprint(digits: string): Fingerprint {
  return `0x${digits}`;
}
