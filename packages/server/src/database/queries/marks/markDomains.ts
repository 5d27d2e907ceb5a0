// Queries about the domains that Marks claim. Rows are never deleted: they tell which domain was verified when.

import { sql } from 'kysely';
import type {
  DomainBacklog,
  DomainEnd,
  DomainQueue,
  LeasedDomain,
  MarkDomains,
  RecordedCheck,
} from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class MarkDomainQueries extends Queries implements MarkDomains, DomainQueue {
  private selectActive() {
    return this.database
      .selectFrom('mark_domains')
      .select(['id', 'mark_id as markId', 'domain', 'method', 'claimed_at as claimedAt', 'verified_at as verifiedAt'])
      .select(['last_success_at as lastSuccessAt', 'failing_since as failingSince', 'warned_at as warnedAt'])
      .select(['last_error as lastError', 'next_check_at as nextCheckAt'])
      .where('ended_at', 'is', null);
  }

  async insert({ id, markId, domain, claimedBy }: { id: string; markId: string; domain: string; claimedBy: string }) {
    await this.database
      .insertInto('mark_domains')
      .values({ id, mark_id: markId, domain, claimed_by: claimedBy })
      .execute();
  }

  list(markId: string) {
    return this.selectActive().where('mark_id', '=', markId).orderBy('claimed_at').orderBy('id').execute();
  }

  lock(id: string) {
    return this.selectActive().where('id', '=', id).forUpdate().executeTakeFirst();
  }

  async scheduleCheck(id: string, intervalMs: number) {
    await sql`
      update mark_domains
      set next_check_at = least(
        next_check_at,
        greatest(now(), last_checked_at + ${intervalMs} * interval '1 millisecond')
      )
      where id = ${id}`.execute(this.database);
  }

  async recordCheck(id: string, check: RecordedCheck) {
    await this.database
      .updateTable('mark_domains')
      .set({
        method: check.method,
        verified_at: check.verifiedAt,
        last_success_at: check.lastSuccessAt,
        failing_since: check.failingSince,
        warned_at: check.warnedAt,
        last_error: check.lastError,
        next_check_at: check.nextCheckAt,
      })
      .where('id', '=', id)
      .execute();
  }

  async end(id: string, { at, reason, userId }: { at: Date; reason: DomainEnd; userId?: string }) {
    await this.database
      .updateTable('mark_domains')
      .set({ ended_at: at, end_reason: reason, ended_by: userId ?? null })
      .where('id', '=', id)
      .execute();
  }

  async listOtherMarks(domain: string, markId: string) {
    const rows = await this.database
      .selectFrom('mark_domains')
      .select('mark_id')
      .where('domain', '=', domain)
      .where('mark_id', '<>', markId)
      .where('ended_at', 'is', null)
      .where('verified_at', 'is not', null)
      .orderBy('verified_at')
      .execute();
    return rows.map(({ mark_id }) => mark_id);
  }

  async wasVerified(domain: string, markId: string) {
    const row = await this.database
      .selectFrom('mark_domains')
      .select('id')
      .where('mark_id', '=', markId)
      .where('domain', '=', domain)
      .where('verified_at', 'is not', null)
      .where('ended_at', 'is not', null)
      .executeTakeFirst();
    return row !== undefined;
  }

  async leaseDue(limit: number, leaseMs: number) {
    const { rows } = await sql<LeasedDomain>`
      with due as materialized (
        select id from mark_domains where ended_at is null and next_check_at <= now()
        order by next_check_at limit ${limit} for update skip locked
      )
      update mark_domains
      set next_check_at = now() + ${leaseMs} * interval '1 millisecond', last_checked_at = now()
      from due where mark_domains.id = due.id
      returning mark_domains.id, mark_id as "markId", domain`.execute(this.database);
    return rows;
  }

  async readBacklog() {
    const { rows } = await sql<DomainBacklog>`
      select count(*) filter (where next_check_at <= now())::int as due,
        count(*) filter (where failing_since is not null)::int as failing
      from mark_domains where ended_at is null`.execute(this.database);
    return rows[0] ?? { due: 0, failing: 0 };
  }
}
