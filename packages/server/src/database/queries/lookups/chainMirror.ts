// Queries of the mirror's worker: entries, endpoints and registrars of the contract, and how far they are known.

import { sql } from 'kysely';
import {
  type Hex,
  type Lease,
  LeaseLostError,
  type MirroredEntry,
  type MirroredRegistry,
  type MirroredSpan,
  type MirrorState,
  type MirrorStore,
} from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { acquireLease, releaseLease, runWithLease } from '../leases.js';
import { Queries } from '../queries.js';
import { IS_FRESH } from './mirrorState.js';

const sourceNumber = { curated: 1, public: 2 } as const;

/** Half a second of inserting, in which a reader of the mirror waits for nothing. */
const ENTRIES_PER_STATEMENT = 2_000;
/** A statement must end within ten seconds on a slow machine. */
const ENTRIES_PER_REMOVAL = 50_000;
/** Every stored block is kept for this many blocks: longer than any expected reorganization. */
const RECENT_BLOCKS = 256n;
/** Interval at which older blocks are kept: a deeper reorganization is read again from there. */
const SPARSE_BLOCKS = 4_096n;

export class ChainMirrorQueries extends Queries implements MirrorStore {
  /** Locks the mirror's row, which makes changes of several processes one after another. */
  private change<T>(lease: Lease, state: MirrorState, work: (transaction: Database) => Promise<T>): Promise<T> {
    return runWithLease(this.database, lease, async (transaction) => {
      const row = await transaction.selectFrom('chain_mirror').selectAll().forUpdate().executeTakeFirst();
      const isUnchanged =
        row &&
        Number(row.chain_id) === state.chainId &&
        hex(row.registry) === state.registry &&
        BigInt(row.first_block) === state.firstBlock &&
        BigInt(row.mirrored_block) === state.mirroredBlock;
      if (!isUnchanged) throw new LeaseLostError('the mirror was changed by another process');
      return work(transaction);
    });
  }

  acquireLease(lease: Lease) {
    return acquireLease(this.database, lease);
  }

  releaseLease(lease: Lease) {
    return releaseLease(this.database, lease);
  }

  async readProgress() {
    const row = await this.database
      .selectFrom('chain_mirror')
      .select(['mirrored_block', 'head_block', 'checked_at'])
      .select(sql.raw<boolean>(IS_FRESH).as('is_fresh'))
      .executeTakeFirst();
    return (
      row && {
        mirroredBlock: Number(row.mirrored_block),
        headBlock: Number(row.head_block),
        checkedAt: row.checked_at,
        isFresh: row.is_fresh,
      }
    );
  }

  readState(registry: Pick<MirroredRegistry, 'chainId' | 'registry'>) {
    return readState(this.database, registry);
  }

  async start(lease: Lease, { chainId, registry, firstBlock }: MirroredRegistry) {
    const before = firstBlock - 1n;
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = await runWithLease(this.database, lease, async (transaction) => {
        if ((await removeEntries(transaction, -1n)) > 0) return false;
        await removeRest(transaction, -1n);
        await sql`delete from chain_mirror`.execute(transaction);
        await sql`
          insert into chain_mirror (chain_id, registry, first_block, mirrored_block, head_block, counted_block)
          values (${chainId}, ${bytes(registry)}, ${firstBlock}, ${before}, ${before}, ${before})`.execute(transaction);
        return true;
      });
    }
  }

  async listBlocks(from: bigint, limit: number) {
    const rows = await this.database
      .selectFrom('chain_blocks')
      .select(['number', 'hash'])
      .where('number', '<=', String(from))
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ number, hash }) => ({ number: BigInt(number), hash: hex(hash) }));
  }

  async findKnown(positions: readonly Pick<MirroredEntry, 'fingerprint' | 'source' | 'blockNumber' | 'logIndex'>[]) {
    const items = positions.map(({ fingerprint, source, blockNumber, logIndex }, index) => ({
      index,
      fingerprint: fingerprint.slice(2),
      source: sourceNumber[source],
      block: Number(blockNumber),
      log: logIndex,
    }));
    const { rows } = await sql<{ index: number }>`
      select item.index from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
        as item (index integer, fingerprint text, source smallint, block bigint, log integer)
      join chain_entries entry
        on entry.fingerprint = decode(item.fingerprint, 'hex') and entry.source = item.source
        and (entry.block_number, entry.log_index) <= (item.block, item.log)`.execute(this.database);
    return new Set(rows.map(({ index }) => index));
  }

  append(lease: Lease, state: MirrorState, span: MirroredSpan) {
    return this.change(lease, state, async (transaction) => {
      let added = 0;
      for (let next = 0; next < span.entries.length; next += ENTRIES_PER_STATEMENT) {
        added += await insertEntries(transaction, span.entries.slice(next, next + ENTRIES_PER_STATEMENT));
      }
      await insertChanges(transaction, span);
      const { number, hash } = span.block;
      await sql`
        insert into chain_blocks (number, hash) values (${number}, ${bytes(hash)})
        on conflict (number) do update set hash = excluded.hash`.execute(transaction);
      await sql`
        update chain_mirror set mirrored_block = ${number}, head_block = ${span.headBlock},
          curated_count = curated_count + ${added}`.execute(transaction);
      await thinOutBlocks(transaction, number);
      return {
        ...state,
        mirroredBlock: number,
        mirroredHash: hash,
        curatedCount: state.curatedCount + BigInt(added),
        registrars: [...new Set([...state.registrars, ...span.registrars.map(({ account }) => account)])],
      };
    });
  }

  async rollBack(lease: Lease, state: MirrorState, block: bigint) {
    for (;;) {
      const rolledBack = await this.change(lease, state, async (transaction) => {
        const stored = await findStoredBlock(transaction, block, state);
        if ((await removeEntries(transaction, stored)) === ENTRIES_PER_REMOVAL) return undefined;
        await removeRest(transaction, stored);
        await returnTo(transaction, stored, state);
        return reread(transaction, state);
      });
      if (rolledBack) return rolledBack;
    }
  }

  rescan(lease: Lease, state: MirrorState, block: bigint) {
    return this.change(lease, state, async (transaction) => {
      const stored = await findStoredBlock(transaction, block, state);
      await returnTo(transaction, stored, state);
      return reread(transaction, state);
    });
  }

  showHead(lease: Lease, state: MirrorState, headBlock: bigint) {
    return this.change(lease, state, async (transaction) => {
      await transaction.updateTable('chain_mirror').set({ head_block: headBlock }).execute();
    });
  }

  confirm(lease: Lease, state: MirrorState) {
    return this.change(lease, state, async (transaction) => {
      await sql`
        update chain_mirror set head_block = mirrored_block, counted_block = mirrored_block,
          checked_at = clock_timestamp()`.execute(transaction);
      return { ...state, countedBlock: state.mirroredBlock };
    });
  }

  async clear() {
    // Without its row, the mirror is not fresh, and its worker starts over.
    await sql`delete from chain_mirror`.execute(this.database);
  }
}

async function readState(
  from: Database,
  { chainId, registry }: Pick<MirroredRegistry, 'chainId' | 'registry'>,
): Promise<MirrorState | undefined> {
  const [row, registrars] = await Promise.all([
    from
      .selectFrom('chain_mirror')
      .leftJoin('chain_blocks', 'chain_blocks.number', 'chain_mirror.mirrored_block')
      .selectAll('chain_mirror')
      .select('chain_blocks.hash')
      .where('chain_id', '=', String(chainId))
      .where('registry', '=', bytes(registry))
      .executeTakeFirst(),
    from.selectFrom('chain_registrars').select('account').distinct().execute(),
  ]);
  if (!row) return undefined;
  return {
    chainId,
    registry,
    firstBlock: BigInt(row.first_block),
    mirroredBlock: BigInt(row.mirrored_block),
    mirroredHash: row.hash ? hex(row.hash) : undefined,
    curatedCount: BigInt(row.curated_count),
    countedBlock: BigInt(row.counted_block),
    registrars: registrars.map(({ account }) => hex(account)),
  };
}

async function reread(transaction: Database, state: MirrorState): Promise<MirrorState> {
  const current = await readState(transaction, state);
  if (!current) throw new LeaseLostError('the mirror was removed by another process');
  return current;
}

/** Removes entries of vanished blocks, and returns how many. */
async function removeEntries(transaction: Database, above: bigint): Promise<number> {
  const { rows } = await sql<{ removed: number; curated: number }>`
  with removed as (
    delete from chain_entries where (fingerprint, source) in (
      select fingerprint, source from chain_entries where block_number > ${above} limit ${ENTRIES_PER_REMOVAL})
    returning source)
  select count(*)::integer as removed, (count(*) filter (where source = 1))::integer as curated from removed`.execute(
    transaction,
  );
  const { removed = 0, curated = 0 } = rows[0] ?? {};
  await sql`update chain_mirror set checked_at = null, curated_count = curated_count - ${curated}`.execute(transaction);
  return removed;
}

async function removeRest(transaction: Database, above: bigint): Promise<void> {
  await sql`delete from chain_endpoints where block_number > ${above}`.execute(transaction);
  await sql`delete from chain_registrars where block_number > ${above}`.execute(transaction);
  await sql`delete from chain_blocks where number > ${above}`.execute(transaction);
}

async function returnTo(transaction: Database, block: bigint, { firstBlock }: MirrorState): Promise<void> {
  await sql`
  update chain_mirror set mirrored_block = ${block}, counted_block = least(counted_block, ${block}),
    checked_at = null`.execute(transaction);
  // The number itself may be wrong, after a change by hand.
  if (block < firstBlock) await recountCurated(transaction);
}

/** The newest stored block at or below this one, or the one before the contract's first. */
async function findStoredBlock(from: Database, block: bigint, { firstBlock }: MirrorState): Promise<bigint> {
  const stored = await from
    .selectFrom('chain_blocks')
    .select('number')
    .where('number', '<=', String(block))
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return stored ? BigInt(stored.number) : firstBlock - 1n;
}

/** Reads all of them. */
export async function recountCurated(transaction: Database): Promise<void> {
  await sql`
    update chain_mirror set curated_count = (select count(*) from chain_entries where source = 1)`.execute(transaction);
}

/** Returns the number of new curated entries. */
export async function insertEntries(transaction: Database, entries: readonly MirroredEntry[]): Promise<number> {
  const items = entries.map((entry) => ({
    fingerprint: digits(entry.fingerprint),
    source: sourceNumber[entry.source],
    manifest_id: entry.manifestId,
    manifest_hash: digits(entry.manifestHash),
    registered_by: digits(entry.registeredBy),
    endpoints: entry.endpoints,
    block_number: Number(entry.blockNumber),
    log_index: entry.logIndex,
    seconds: entry.timestamp,
  }));
  // The earliest of a statement first: it must not change a row twice.
  const { rows } = await sql<{ added: number }>`
    with added as (
      insert into chain_entries as entry
      select distinct on (item.fingerprint, source) decode(item.fingerprint, 'hex'), source, manifest_id,
        decode(manifest_hash, 'hex'), decode(registered_by, 'hex'), endpoints, block_number, log_index,
        to_timestamp(seconds), exists (
          select from artifacts
          where artifacts.fingerprint = decode(item.fingerprint, 'hex') and error_reason is null
        )
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
        as item (fingerprint text, source smallint, manifest_id text, manifest_hash text, registered_by text,
          endpoints text[], block_number bigint, log_index integer, seconds bigint)
      order by item.fingerprint, source, block_number, log_index
      on conflict (fingerprint, source) do update
        set manifest_id = excluded.manifest_id, manifest_hash = excluded.manifest_hash,
          registered_by = excluded.registered_by, endpoints = excluded.endpoints, block_number = excluded.block_number,
          log_index = excluded.log_index, registered_at = excluded.registered_at
        where entry.source = 2
          and (excluded.block_number, excluded.log_index) < (entry.block_number, entry.log_index)
      returning source)
    select (count(*) filter (where source = 1))::integer as added from added`.execute(transaction);
  return rows[0]?.added ?? 0;
}

async function insertChanges(transaction: Database, { endpoints, registrars }: MirroredSpan): Promise<void> {
  for (const { blockNumber, logIndex, endpoints: list } of endpoints) {
    await sql`
      insert into chain_endpoints (block_number, log_index, endpoints)
      values (${blockNumber}, ${logIndex}, ${list}) on conflict do nothing`.execute(transaction);
  }
  for (const { blockNumber, logIndex, account } of registrars) {
    await sql`
      insert into chain_registrars (block_number, log_index, account)
      values (${blockNumber}, ${logIndex}, ${bytes(account)}) on conflict do nothing`.execute(transaction);
  }
}

/** Looks at two intervals only: older ones were thinned out when they were new. */
async function thinOutBlocks(transaction: Database, newest: bigint): Promise<void> {
  const recent = newest - RECENT_BLOCKS;
  await sql`
    delete from chain_blocks where number in (
      select number from (
        select number, lead(number) over (order by number) as next from chain_blocks
        where number between ${recent - 2n * SPARSE_BLOCKS} and ${recent}) as stored
      where next / ${SPARSE_BLOCKS} = number / ${SPARSE_BLOCKS})`.execute(transaction);
}

function digits(text: Hex): string {
  return text.slice(2);
}
