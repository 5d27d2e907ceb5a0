// Queries about registrations: the outbox, the transactions that its Artifacts are in, and the lease of the writing key.

import { artifactStatusCode as status } from '@provenance-registry/core';
import { type InferResult, type RawBuilder, sql } from 'kysely';
import {
  type ChainOutbox,
  type ChainSender,
  type ChainTransaction,
  type Hex,
  type Lease,
  LeaseLostError,
  type NewAttempt,
  type NewChainTransaction,
  type RegistrationOutcome,
  type WaitingRegistration,
} from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import type { Database } from '../../connection.js';
import { acquireLease, releaseLease, runWithLease } from '../leases.js';
import { Queries } from '../queries.js';
import { lockArtifactCounters } from './counters.js';

/**
 * Starts the chain write of what the query selects: the ids of Artifacts and signed copies, and the trace contexts of their
 * requests. The submitter takes them from here after the commit.
 */
export function insertIntoChainOutbox(registrations: RawBuilder<unknown>) {
  return sql`insert into outbox (artifact_id, trace_context) ${registrations}`;
}

/** Tells the renditions that failed with their Artifact from those that the chain refused. */
export const FAILED_WITH_ARTIFACT = 'The Artifact of this signed copy was not registered on chain.';

export class ChainOutboxQueries extends Queries implements ChainOutbox {
  private withLease<T>(lease: Lease, work: (transaction: Database) => Promise<T>) {
    return runWithLease(this.database, lease, work);
  }

  acquireLease(lease: Lease) {
    return acquireLease(this.database, lease);
  }

  releaseLease(lease: Lease) {
    return releaseLease(this.database, lease);
  }

  async listWaiting(limit: number) {
    const rows = await selectRegistrations(this.database)
      .where('outbox.transaction_id', 'is', null)
      .where('outbox.run_at', '<=', sql<Date>`now()`)
      .where((where) =>
        where.or([where('artifacts.rendition_of', 'is', null), where('original.status', '=', status.submitted)]),
      )
      .orderBy('outbox.run_at')
      .orderBy('outbox.id')
      .limit(limit)
      .execute();
    return rows.map(toRegistration);
  }

  async listTransactions(sender: ChainSender) {
    const rows = await selectTransactions(this.database, sender)
      .select(['id', 'nonce', 'recipient', 'gas', 'created_at'])
      .where('block_number', 'is', null)
      .orderBy('nonce')
      .execute();
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [attempts, carried] = await Promise.all([
      this.database
        .selectFrom('chain_attempts')
        .select(['transaction_id', 'hash', 'max_fee_per_gas', 'max_priority_fee_per_gas'])
        .where('transaction_id', 'in', ids)
        .orderBy('created_at')
        .execute(),
      selectRegistrations(this.database).where('outbox.transaction_id', 'in', ids).orderBy('outbox.id').execute(),
    ]);
    return rows.map(
      ({ id, nonce, recipient, gas, created_at: createdAt }): ChainTransaction => ({
        id,
        nonce: Number(nonce),
        recipient: hex(recipient),
        gas: BigInt(gas),
        createdAt,
        attempts: attempts
          .filter(({ transaction_id }) => transaction_id === id)
          .map((attempt) => ({
            hash: hex(attempt.hash),
            maxFeePerGas: BigInt(attempt.max_fee_per_gas),
            maxPriorityFeePerGas: BigInt(attempt.max_priority_fee_per_gas),
          })),
        registrations: carried.filter(({ transaction_id }) => transaction_id === id).map(toRegistration),
      }),
    );
  }

  async listSignedAttempts(transactionId: string) {
    const rows = await this.database
      .selectFrom('chain_attempts')
      .select('raw')
      .where('transaction_id', '=', transactionId)
      .orderBy('created_at')
      .execute();
    return rows.map(({ raw }) => hex(raw));
  }

  async listConfirmed(sender: ChainSender) {
    const rows = await selectTransactions(this.database, sender)
      .select(['id', 'nonce', 'block_number', 'block_hash'])
      .where('block_number', 'is not', null)
      .execute();
    return rows.flatMap(({ id, nonce, block_number: number, block_hash: hash }) =>
      number === null || hash === null
        ? []
        : [{ id, nonce: Number(nonce), block: { number: BigInt(number), hash: hex(hash) } }],
    );
  }

  assign(
    lease: Lease,
    { sender, attempt, recipient, gas, nonce }: NewChainTransaction,
    artifactIds: readonly string[],
  ) {
    return this.withLease(lease, async (transaction) => {
      const { rows } = await sql<{ assigned: number }>`
        with written as (
          insert into chain_transactions (chain_id, sender, nonce, recipient, gas)
          values (${sender.chainId}, ${bytes(sender.address)}, ${nonce}, ${bytes(recipient)}, ${String(gas)})
          returning id
        ), signed as (
          insert into chain_attempts (transaction_id, hash, raw, max_fee_per_gas, max_priority_fee_per_gas)
          select id, ${bytes(attempt.hash)}, ${bytes(attempt.raw)}, ${String(attempt.maxFeePerGas)}::numeric,
            ${String(attempt.maxPriorityFeePerGas)}::numeric
          from written
        ), assigned as (
          update outbox set transaction_id = written.id from written
          where artifact_id = any(${artifactIds}::uuid[]) and transaction_id is null
          returning artifact_id
        ), updated as (
          update artifacts set status = ${status.submitting}
          where id = any(${artifactIds}::uuid[]) and status = ${status.pending}
        ) select count(*)::integer as assigned from assigned`.execute(transaction);
      // The lease belongs to one key: a second key that writes for this database must not send the same registrations.
      if (rows[0]?.assigned !== artifactIds.length)
        throw new LeaseLostError('another key has sent some of these registrations');
    });
  }

  addAttempt(lease: Lease, transactionId: string, attempt: NewAttempt) {
    return this.withLease(lease, async (transaction) => {
      await transaction
        .insertInto('chain_attempts')
        .values({
          hash: bytes(attempt.hash),
          transaction_id: transactionId,
          raw: bytes(attempt.raw),
          max_fee_per_gas: String(attempt.maxFeePerGas),
          max_priority_fee_per_gas: String(attempt.maxPriorityFeePerGas),
        })
        .execute();
    });
  }

  settle(
    lease: Lease,
    { transactions = [], submitted = [], retries = [], failed = [], finished = [] }: RegistrationOutcome,
  ) {
    return this.withLease(lease, async (transaction) => {
      // Before any Artifact is locked: a creation holds the counter while it waits for a fingerprint, and would deadlock.
      await lockArtifactCounters(transaction, artifactIdsOf(failed));
      await markSubmitted(transaction, submitted);
      await retryLater(transaction, retries);
      await markFailed(transaction, failed);
      await deleteFromOutbox(transaction, finished);
      await closeTransactions(transaction, transactions);
    });
  }

  reopen(lease: Lease, transactionIds: readonly string[]) {
    return this.withLease(lease, async (transaction) => {
      await sql`
        delete from log_anchors using chain_transactions
        where chain_transactions.id = any(${transactionIds}::bigint[])
          and log_anchors.block_hash = chain_transactions.block_hash`.execute(transaction);
      await transaction
        .updateTable('chain_transactions')
        .set({ block_number: null, block_hash: null })
        .where('id', 'in', transactionIds)
        .execute();
    });
  }

  deleteTransactions(lease: Lease, transactionIds: readonly string[]) {
    return this.withLease(lease, async (transaction) => {
      await transaction.deleteFrom('outbox').where('transaction_id', 'in', transactionIds).execute();
      await transaction.deleteFrom('chain_transactions').where('id', 'in', transactionIds).execute();
    });
  }

  async saveRegistry({ chainId, address }: { chainId: number; address: Hex }) {
    await this.database
      .insertInto('registries')
      .values({ chain_id: chainId, address: bytes(address) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  async listUsedChains() {
    const rows = await this.database.selectFrom('registries').select('chain_id').distinct().execute();
    return rows.map(({ chain_id }) => Number(chain_id));
  }

  async readBacklog() {
    const { pending, oldest } = await this.database
      .selectFrom('outbox')
      .innerJoin('artifacts', 'artifacts.id', 'outbox.artifact_id')
      .where('artifacts.status', 'in', [status.pending, status.submitting])
      .select((select) => [
        select.fn.countAll<string>().as('pending'),
        sql<number | null>`extract(epoch from now() - min(outbox.created_at))::float8`.as('oldest'),
      ])
      .executeTakeFirstOrThrow();
    return { pending: Number(pending), oldestPendingSeconds: Math.max(0, oldest ?? 0) };
  }
}

function selectTransactions(database: Database, { chainId, address }: ChainSender) {
  return database
    .selectFrom('chain_transactions')
    .where('chain_id', '=', sql<string>`${chainId}`)
    .where('sender', '=', bytes(address));
}

function selectRegistrations(database: Database) {
  return database
    .selectFrom('outbox')
    .innerJoin('artifacts', 'artifacts.id', 'outbox.artifact_id')
    .leftJoin('artifacts as original', 'original.id', 'artifacts.rendition_of')
    .leftJoin('marks', (join) =>
      join.onRef('marks.id', '=', 'artifacts.mark_id').on('marks.visibility', '=', 'private'),
    )
    .select([
      'marks.id as private_mark_id',
      'artifacts.id',
      'artifacts.rendition_of',
      'artifacts.fingerprint',
      'artifacts.manifest_hash',
      'artifacts.created_by',
      'artifacts.status',
      'outbox.attempts',
      'outbox.transaction_id',
      'outbox.trace_context',
    ])
    .select(sql<number>`extract(epoch from now() - outbox.created_at)::float8 * 1000`.as('age_ms'));
}

function toRegistration(row: InferResult<ReturnType<typeof selectRegistrations>>[number]): WaitingRegistration {
  return {
    artifactId: row.id,
    manifestId: row.rendition_of ?? row.id,
    fingerprint: hex(row.fingerprint),
    manifestHash: hex(row.manifest_hash),
    userId: row.created_by,
    privateMarkId: row.private_mark_id,
    attempts: row.attempts,
    ageMs: row.age_ms,
    wasSubmitted: row.status === status.submitted,
    traceContext: row.trace_context ?? undefined,
  };
}

type Outcome = Required<RegistrationOutcome>;

function artifactIdsOf(items: readonly { readonly artifactId: string }[]): string[] {
  return items.map(({ artifactId }) => artifactId);
}

async function markSubmitting(transaction: Database, artifactIds: readonly string[]): Promise<void> {
  await sql`
    update artifacts set status = ${status.submitting}
    where id = any(${artifactIds}::uuid[]) and status = ${status.pending}`.execute(transaction);
}

async function markSubmitted(transaction: Database, submitted: Outcome['submitted']): Promise<void> {
  if (submitted.length === 0) return;
  const ids = artifactIdsOf(submitted);
  await markSubmitting(transaction, ids);
  // Artifacts that were submitted before too: after a reorganization another transaction may contain them.
  await sql`
    with waiting as materialized (
      select id from artifacts where id = any(${ids}::uuid[]) and status = ${status.submitting}
    ), updated as (
      update artifacts set status = ${status.submitted}, transaction_hash = confirmed.hash
      from unnest(${ids}::uuid[], ${submitted.map(({ transactionHash }) => bytes(transactionHash))}::bytea[])
        as confirmed (id, hash)
      where artifacts.id = confirmed.id and status in (${status.submitting}, ${status.submitted})
      returning artifacts.id, artifacts.rendition_of, artifacts.mark_id, artifacts.fingerprint,
        jsonb_build_object('transactionHash', '0x' || encode(confirmed.hash, 'hex')) as details
    )
    ${insertOutcomes('submitted', sql`select * from updated where id in (select id from waiting)`)}`.execute(
    transaction,
  );
}

/** Into the feed, for the Artifacts and renditions of the query. */
function insertOutcomes(outcome: 'submitted' | 'failed', settled: RawBuilder<unknown>) {
  return sql`
    insert into events (type, organization_id, mark_id, data, is_listed)
    select case when original.id is null then ${`artifact.${outcome}`} else ${`rendition.${outcome}`} end,
      mark.organization_id, mark.id, jsonb_build_object(
        'fingerprint', '0x' || encode(settled.fingerprint, 'hex'), 'manifestId', coalesce(original.id, settled.id)
      ) || settled.details || case when original.id is null then '{}' else
        jsonb_build_object('renditionOf', '0x' || encode(original.fingerprint, 'hex')) end,
      false
    from (${settled}) settled join marks mark on mark.id = settled.mark_id
    left join artifacts original on original.id = settled.rendition_of`;
}

async function retryLater(transaction: Database, retries: Outcome['retries']): Promise<void> {
  if (retries.length === 0) return;
  await sql`
    update outbox set transaction_id = null, attempts = attempts + 1, last_error = later.reason,
      run_at = now() + later.delay_ms * interval '1 millisecond'
    from unnest(
      ${artifactIdsOf(retries)}::uuid[],
      ${retries.map(({ reason }) => reason)}::text[],
      ${retries.map(({ delayMs }) => delayMs)}::float8[]
    ) as later (artifact_id, reason, delay_ms)
    where outbox.artifact_id = later.artifact_id`.execute(transaction);
}

/** Frees the fingerprints and releases the quota; the daily one only if the Artifact is of the counter's day. */
async function markFailed(transaction: Database, failed: Outcome['failed']): Promise<void> {
  if (failed.length === 0) return;
  const ids = artifactIdsOf(failed);
  await markSubmitting(transaction, ids);
  await deleteFromOutbox(transaction, ids);
  await sql`
    with failed as (
      update artifacts set status = ${status.failed}, error_reason = refused.reason
      from unnest(${ids}::uuid[], ${failed.map(({ reason }) => reason)}::text[]) as refused (id, reason)
      where artifacts.id = refused.id and status = ${status.submitting}
      returning artifacts.id, artifacts.mark_id, (artifacts.created_at at time zone 'utc')::date as day,
        artifacts.rendition_of, artifacts.fingerprint, jsonb_build_object('reason', refused.reason) as details
    ), inserted_events as (
      ${insertOutcomes('failed', sql`select * from failed`)}
    ), released as (
      select coalesce(marks.owner_id, marks.organization_id) as owner_id, failed.day, count(*) as freed
      from failed join marks on marks.id = failed.mark_id
      where failed.rendition_of is null
      group by 1, 2
    ), sums as (
      select released.owner_id, sum(freed) as all_days,
        coalesce(sum(freed) filter (where released.day = counters.day), 0) as today
      from released join counters on counters.owner_id = released.owner_id
      group by 1
    ), mark_counts as (
      update mark_counters set artifacts = artifacts - freed.count
      from (select mark_id, count(*) from failed where rendition_of is null group by 1) freed
      where mark_counters.mark_id = freed.mark_id
    )
    update counters set
      lifetime_artifacts = lifetime_artifacts - sums.all_days,
      daily_artifacts = greatest(0, daily_artifacts - sums.today)
    from sums where counters.owner_id = sums.owner_id`.execute(transaction);
  // In a later statement, which sees a signed copy that was recorded while this one waited for the Artifact's lock.
  const { rows: renditions } = await sql<{ artifactId: string; reason: string }>`
    select signed_copy.id as "artifactId", ${FAILED_WITH_ARTIFACT}::text as reason
    from artifacts signed_copy join artifacts original on original.id = signed_copy.rendition_of
    where original.id = any(${ids}::uuid[]) and original.status = ${status.failed} and signed_copy.error_reason is null`.execute(
    transaction,
  );
  // They are in no transaction, because their Artifact never was submitted.
  await markFailed(transaction, renditions);
}

async function closeTransactions(transaction: Database, ended: Outcome['transactions']): Promise<void> {
  const confirmed = ended.flatMap(({ id, block }) => (block ? [{ id, ...block }] : []));
  if (confirmed.length > 0) {
    await sql`
      update chain_transactions set block_number = confirmed.number, block_hash = confirmed.hash
      from unnest(
        ${confirmed.map(({ id }) => id)}::bigint[],
        ${confirmed.map(({ number }) => String(number))}::bigint[],
        ${confirmed.map(({ hash }) => bytes(hash))}::bytea[]
      ) as confirmed (id, number, hash)
      where chain_transactions.id = confirmed.id`.execute(transaction);
  }
  const lost = ended.flatMap(({ id, block }) => (block ? [] : [id]));
  if (lost.length > 0) await transaction.deleteFrom('chain_transactions').where('id', 'in', lost).execute();
}

async function deleteFromOutbox(transaction: Database, artifactIds: readonly string[]): Promise<void> {
  if (artifactIds.length === 0) return;
  await sql`delete from outbox where artifact_id = any(${artifactIds}::uuid[])`.execute(transaction);
}
