// Writes the mirror of the chain, for services without the worker that does.

import type { Hex } from 'viem';
import type { TestFile } from '../../../../test/support/files.js';
import { query } from '../../../../test/support/postgres.js';

/** `source`: 1 is curated, 2 is public. A null id stands for data that is not safe to return. */
export interface MirroredEntry {
  readonly source: 1 | 2;
  readonly manifestId: string | null;
  readonly registeredBy: Hex;
  readonly endpoints: readonly string[] | null;
}

const toBytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex');

export async function addMirroredEntry(
  databaseUrl: string,
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
  { source, manifestId, registeredBy, endpoints }: MirroredEntry,
): Promise<void> {
  await query(
    databaseUrl,
    `insert into chain_entries
       (fingerprint, source, manifest_id, manifest_hash, registered_by, endpoints, block_number, log_index, registered_at)
     values ($1, $2, $3, sha256('metadata'), $4, $5, 7, 0, now())`,
    [toBytes(fingerprint), source, manifestId, toBytes(registeredBy), endpoints],
  );
}

/** By default it is fresh, and stays so on a slow machine. A null age: it is known to be incomplete. */
export async function setMirror(
  databaseUrl: string,
  { blocksBehind = 0, ageSeconds = -3_600 }: { blocksBehind?: number; ageSeconds?: number | null } = {},
): Promise<void> {
  await query(
    databaseUrl,
    `insert into chain_mirror
       (chain_id, registry, first_block, mirrored_block, head_block, checked_at, counted_block)
     values (31337, decode(repeat('11', 20), 'hex'), 0, 100, 100 + $1::int, now() - make_interval(secs => $2::float), 0)
     on conflict (only_row) do update
       set mirrored_block = excluded.mirrored_block, head_block = excluded.head_block, checked_at = excluded.checked_at`,
    [blocksBehind, ageSeconds],
  );
}
