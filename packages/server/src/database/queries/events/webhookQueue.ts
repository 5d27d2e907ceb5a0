// Queries of the worker that sends the events of webhooks. A lease keeps two workers from sending those of one webhook.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LeasedWebhook, RecordedSuccess, WebhookBacklog, WebhookQueue } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class WebhookQueueQueries extends Queries implements WebhookQueue {
  async leaseDue({ now, leaseMs, limit, slowLimit }: { now: Date; leaseMs: number; limit: number; slowLimit: number }) {
    const leaseId = randomUUID();
    const leasedUntil = new Date(now.getTime() + leaseMs);
    const isFree = sql`paused_at is null and run_at <= ${now} and (leased_until is null or leased_until <= ${now})`;
    // The event of its creation comes first: before it is in the feed, nothing is sent.
    const due = (isSlow: boolean, max: number) => sql`
      select webhooks.id, created.position - 1 as start, run_at
      from webhooks join events created on created.id = created_event_id
      where ${isFree} and verified_at is not null and pending_position > webhooks.position
        and created.position is not null and is_slow = ${isSlow}
      order by run_at limit ${max} for no key update of webhooks skip locked`;
    const { rows } = await sql<LeasedWebhook>`
      with quick as materialized (${due(false, limit)}), slow as materialized (${due(true, slowLimit)}),
      challenged as materialized (
        select id, position as start, run_at from webhooks
        where ${isFree} and verified_at is null and challenges_left > 0
        order by run_at limit ${slowLimit} for no key update skip locked
      ),
      due as (
        select * from quick
        union all (select * from (table slow union all table challenged) waiting order by run_at limit ${slowLimit})
      )
      update webhooks
      set lease_id = ${leaseId}, leased_until = ${leasedUntil}, position = greatest(position, start)
      from due where webhooks.id = due.id
      returning webhooks.id, user_id as "userId", organization_id as "organizationId", url, types,
        secret_version as "secretVersion", secret_rotated_at as "secretRotatedAt", position::text,
        pending_position::text as "pendingPosition", attempts, challenge, challenges_left as "challengesLeft",
        lease_id as "leaseId", revision, is_slow as "isSlow"`.execute(this.database);
    return rows;
  }

  async recordSuccess({ id, leaseId, revision }: LeasedWebhook, success: RecordedSuccess) {
    const { position, attempt, at, durationMs, status, from, to, now, isSlow, isReleased } = success;
    const { rows } = await sql<{ mayGoOn: boolean }>`
      with moved as (
        update webhooks
        set position = ${to}::bigint, attempts = 0, failing_since = null, run_at = ${now}, is_slow = ${isSlow},
          lease_id = case when ${isReleased} then null else lease_id end,
          leased_until = case when ${isReleased} then null else leased_until end
        where id = ${id} and lease_id = ${leaseId} and position = ${from}::bigint
        returning revision = ${revision} and paused_at is null as "mayGoOn"
      ), logged as (
        insert into webhook_deliveries (webhook_id, position, attempt, at, duration_ms, status)
        select id, ${position}::bigint, ${attempt}::integer, ${at}::timestamptz, ${durationMs}::integer, ${status}::smallint
        from webhooks where id = ${id}
      )
      select "mayGoOn" from moved`.execute(this.database);
    return rows[0]?.mayGoOn ?? false;
  }

  async recordChallenge(
    { id, leaseId, revision }: LeasedWebhook,
    { error, nextAt, now }: { readonly error: string | null; readonly nextAt: Date | null; readonly now: Date },
  ) {
    const isAnswered = error === null;
    const { rows } = await sql<{ isCurrent: boolean }>`
      with current as materialized (
        select id, revision = ${revision} as is_current from webhooks
        where id = ${id} and lease_id = ${leaseId} for no key update
      )
      update webhooks set
        lease_id = null, leased_until = null,
        verified_at = case when is_current and ${isAnswered} then ${now}::timestamptz else verified_at end,
        challenge = case when is_current and ${isAnswered} then null else challenge end,
        challenge_error = case when is_current then ${error}::text else challenge_error end,
        challenges_left = case when is_current then ${nextAt === null ? 0 : sql`challenges_left - 1`} else challenges_left end,
        run_at = case when is_current then ${nextAt ?? now}::timestamptz else run_at end,
        is_slow = is_slow and not (is_current and ${isAnswered})
      from current where webhooks.id = current.id
      returning is_current as "isCurrent"`.execute(this.database);
    return rows[0]?.isCurrent ?? false;
  }

  async release({ id, leaseId }: LeasedWebhook, { from, to, now }: { from: string; to: string; now: Date }) {
    await sql`
      update webhooks
      set lease_id = null, leased_until = null, run_at = greatest(run_at, ${now}),
        position = case when position = ${from}::bigint then ${to}::bigint else position end
      where id = ${id} and lease_id = ${leaseId}`.execute(this.database);
  }

  async readBacklog(now: Date) {
    const { rows } = await sql<WebhookBacklog>`
      select count(*)::int as pending, count(*) filter (where attempts > 0)::int as failing,
        extract(epoch from ${now}::timestamptz - min(run_at) filter (where run_at <= ${now}))::float8 as "oldestSeconds"
      from webhooks where paused_at is null and verified_at is not null and pending_position > position`.execute(
      this.database,
    );
    const [row] = rows;
    return { pending: row?.pending ?? 0, failing: row?.failing ?? 0, oldestSeconds: row?.oldestSeconds ?? undefined };
  }
}

/**
 * Starts the deliveries of the events in `placed`, a part of the statement that gives them their positions: webhooks with a
 * pending position are due.
 */
export const markWebhooksDue = sql`
  with concerned (user_id, organization_id, type, position) as (
    -- More users than may see it: what a webhook sends is decided when it is read.
    select null::uuid, organization_id, type, position from placed where organization_id is not null
    union all select user_id, null, type, position from placed where user_id is not null
    union all select unnest(array[admin_id, owner_id]), null, type, position from placed join marks on marks.id = mark_id
    union all select member.user_id, null, type, position from placed join mark_members member using (mark_id)
    union all select member.user_id, null, type, position from placed
      join organization_members member using (organization_id)
  ), due as (
    select id, max(position) as position
    from (
      select id, types, type, concerned.position from concerned join webhooks using (organization_id)
      union all
      select id, types, type, concerned.position from concerned join webhooks using (user_id)
    ) candidate
    where types is null or type = any(types) or type = 'webhook.created'
    group by id
  )
  update webhooks set pending_position = due.position from due where webhooks.id = due.id`;
