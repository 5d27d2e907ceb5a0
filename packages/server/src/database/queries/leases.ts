// Queries about leases: the right of one process to do something, for a limited time.

import { sql } from 'kysely';
import { type Lease, LeaseLostError } from '../../domain/ports/index.js';
import type { Database } from '../connection.js';

/**
 * Raised by a release whose holders must not be kept waiting by those of earlier releases: they take over at once. Workers
 * of the first generation know neither the events of registrations nor, in 0.2.0, the ids of signed copies on chain.
 */
const GENERATION = 2;

/** Takes or extends the lease. False when another process holds it. */
export async function acquireLease(database: Database, { name, holder, ms }: Lease): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into leases (name, holder, expires_at)
    values (${name}, ${storedHolder(holder)}, clock_timestamp() + ${ms} * interval '1 millisecond')
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
    where leases.holder = excluded.holder or leases.expires_at < clock_timestamp()
      or coalesce(substring(leases.holder from '^([0-9]+) ')::integer, 1) < ${GENERATION}`.execute(database);
  return numAffectedRows === 1n;
}

export async function releaseLease(database: Database, { name, holder }: Lease): Promise<void> {
  await database.deleteFrom('leases').where('name', '=', name).where('holder', '=', storedHolder(holder)).execute();
}

/** Those of the first generation are stored without a number. */
function storedHolder(holder: string): string {
  return `${GENERATION} ${holder}`;
}

/**
 * Locks the lease in the transaction that changes something, so that no other process takes it meanwhile. An expired lease
 * counts as held until another process takes it: a slow node must not stop the only process from writing. The lock is
 * shared, so that changes of one holder run concurrently.
 */
export function runWithLease<T>(
  database: Database,
  lease: Lease,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (transaction) => {
    const held = await transaction
      .selectFrom('leases')
      .select('name')
      .where('name', '=', lease.name)
      .where('holder', '=', storedHolder(lease.holder))
      .forShare()
      .executeTakeFirst();
    if (!held) throw new LeaseLostError(`another process holds the lease "${lease.name}"`);
    return work(transaction);
  });
}
