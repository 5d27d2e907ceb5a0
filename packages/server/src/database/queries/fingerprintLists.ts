// Lists the fingerprints below a prefix. The JSON of Artifacts comes from the database in records of one length: a list has
// hundreds of them, and nothing but the place of the few other entries between them has to be found here.

import { type Fingerprint, MAX_PAGE_ENTRIES } from '@provenance-registry/core';
import { CompiledQuery } from 'kysely';
import type { FingerprintPage, PrefixQuestion } from '../../domain/ports/index.js';
import { bytes } from '../bytes.js';
import type { Database } from '../connection.js';
import { CURATED_ENDPOINTS, IS_CHAIN_KNOWN, sourceName } from './mirrorState.js';

const FINGERPRINT_DIGITS = 64;
const UUID_LENGTH = 36;
const RECORD_START = '{"fingerprint":"0x';
const RECORD_LENGTH = RECORD_START.length + FINGERPRINT_DIGITS + '","manifestId":"'.length + UUID_LENGTH + '"},'.length;
const MARK_LENGTH = ',"markId":""'.length + UUID_LENGTH;

/**
 * What each table has above $1 and up to $2, in order. An entry of the chain whose data is not returned has no id; a curated
 * one still hides a public one.
 */
const listQuery = (mark: string) => `
  select
    (select string_agg(
      '${RECORD_START}' || encode(fingerprint, 'hex') || '","manifestId":"' || coalesce(rendition_of, id) || '"' || ${mark} || '},', ''
    ) from (
      select fingerprint, id, rendition_of, mark_id from artifacts
      where fingerprint > $1 and fingerprint <= $2 and error_reason is null
      order by fingerprint limit ${MAX_PAGE_ENTRIES}
    ) own) as artifacts,
    (select string_agg(encode(fingerprint, 'hex') || source || case
      when source = 2 or cardinality(${CURATED_ENDPOINTS}) > 0 then coalesce(manifest_id, '') else ''
    end, ' ') from (
      select distinct on (fingerprint) fingerprint, source, manifest_id from chain_entries
      where fingerprint > $1 and fingerprint <= $2 and not is_own
      order by fingerprint, source limit ${MAX_PAGE_ENTRIES}
    ) others) as "chainEntries",
    ${IS_CHAIN_KNOWN} as "isChainKnown",
    greatest(
      (select reltuples from pg_class where oid = 'artifacts'::regclass),
      (select reltuples from pg_class where oid = 'chain_entries'::regclass)
    ) as "registeredCount"`;

const LIST_BARE = listQuery("''");
/** Spaces in place of a private Mark keep the length. */
const LIST_WITH_MARKS = listQuery(`case
  when exists (select from marks where marks.id = mark_id and visibility = 'private') then '${' '.repeat(MARK_LENGTH)}'
  else ',"markId":"' || mark_id || '"'
end`);

interface ListRow {
  readonly artifacts: string | null;
  /** Digits of the fingerprint, source and id, separated by spaces. The ids of strangers are checked when they are mirrored. */
  readonly chainEntries: string | null;
  readonly isChainKnown: boolean;
  /** As of the last vacuum. Our own registrations are in both tables. */
  readonly registeredCount: number;
}

export async function listByPrefix(
  database: Database,
  { prefix, after, withMarks }: PrefixQuestion,
): Promise<FingerprintPage> {
  // Fewer bytes are less than all that start with them.
  const start = after ? bytes(after) : Buffer.from(prefix.length % 2 === 0 ? prefix : `${prefix}0`, 'hex');
  const end = Buffer.from(prefix.padEnd(FINGERPRINT_DIGITS, 'f'), 'hex');
  const { rows } = await database.executeQuery(
    CompiledQuery.raw(withMarks ? LIST_WITH_MARKS : LIST_BARE, [start, end]),
  );
  const { artifacts, chainEntries, isChainKnown, registeredCount } = rows[0] as ListRow;
  const records = new ArtifactRecords(artifacts ?? '', RECORD_LENGTH + (withMarks ? MARK_LENGTH : 0));
  return { ...mergePage(records, chainEntries?.split(' ').map(toOtherEntry) ?? []), isChainKnown, registeredCount };
}

interface OtherEntry {
  readonly digits: string;
  /** With a comma; empty when the entry stands, and its data is not returned. */
  readonly json: string;
}

function toOtherEntry(text: string): OtherEntry {
  const digits = text.slice(0, FINGERPRINT_DIGITS);
  const source = sourceName(Number(text[FINGERPRINT_DIGITS]));
  const manifestId = text.slice(FINGERPRINT_DIGITS + 1);
  if (manifestId === '') return { digits, json: '' };
  return { digits, json: `${JSON.stringify({ fingerprint: `0x${digits}`, manifestId, source })},` };
}

class ArtifactRecords {
  readonly count: number;
  readonly #text: string;
  readonly #length: number;

  constructor(text: string, length: number) {
    this.#text = text;
    this.#length = length;
    this.count = text.length / length;
  }

  digitsAt(index: number): string {
    const start = index * this.#length + RECORD_START.length;
    return this.#text.slice(start, start + FINGERPRINT_DIGITS);
  }

  slice(from: number, to: number): string {
    return this.#text.slice(from * this.#length, to * this.#length);
  }

  /** The first at or after `from` that is not less than these digits. */
  findFrom(from: number, digits: string): number {
    let [low, high] = [from, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.digitsAt(middle) < digits) low = middle + 1;
      else high = middle;
    }
    return low;
  }
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
    json += artifacts.slice(next, stop);
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
  return { entriesJson: json.slice(0, -1), nextCursor: cursor === undefined ? null : toFingerprint(cursor) };
}

function toFingerprint(digits: string): Fingerprint {
  return `0x${digits}`;
}
