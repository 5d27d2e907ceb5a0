// Queries about webhooks and their deliveries.

import type { EventType } from '@provenance-registry/core';
import { sql } from 'kysely';
import type {
  DeliveryAttempt,
  FeedReader,
  NewEvent,
  WebhookChanges,
  WebhookMaker,
  Webhooks,
} from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';
import { countEvents } from './eventLimits.js';
import { toRow } from './events.js';

/** Rows of one sweep; the next one goes on. */
const MAX_DELETED = 20_000;

export class WebhookQueries extends Queries implements Webhooks {
  private selectWebhooks() {
    return this.database
      .selectFrom('webhooks as webhook')
      .innerJoin('events as created', 'created.id', 'webhook.created_event_id')
      .select(['webhook.id', 'webhook.user_id as userId', 'webhook.organization_id as organizationId', 'webhook.url'])
      .select(['webhook.types', 'webhook.created_at as createdAt', 'webhook.secret_version as secretVersion'])
      .select(['webhook.secret_rotated_at as secretRotatedAt', 'webhook.pending_position as pendingPosition'])
      .select(['webhook.attempts', 'webhook.failing_since as failingSince', 'webhook.run_at as runAt'])
      .select(['webhook.verified_at as verifiedAt', 'webhook.challenges_left as challengesLeft'])
      .select('webhook.challenge_error as challengeError')
      .select(['webhook.paused_at as pausedAt', 'webhook.pause_reason as pauseReason', 'webhook.lease_id as leaseId'])
      .select(sql<string>`greatest(webhook.position, created.position - 1)`.as('position'))
      .select(sql<string | null>`created.position - 1`.as('startPosition'));
  }

  async insert(
    { id, owner, maker, url, types, createdAt, challenge, challengesLeft }: Parameters<Webhooks['insert']>[0],
    event: NewEvent,
  ) {
    await countEvents(this.database, [event]);
    const { id: eventId } = await this.database
      .insertInto('events')
      .values(toRow(event))
      .returning('id')
      .executeTakeFirstOrThrow();
    await this.database
      .insertInto('webhooks')
      .values({
        id,
        ...ownerColumns(owner),
        ...makerColumns(maker),
        url,
        types: toArray(types),
        created_at: createdAt,
        created_event_id: eventId,
        // The event is not committed yet: it gets a position after this one.
        position: sql`(select last_position from event_feed)`,
        run_at: createdAt,
        challenge,
        challenges_left: challengesLeft,
        is_slow: true,
      })
      .execute();
  }

  list(owner: FeedReader) {
    return (
      'userId' in owner
        ? this.selectWebhooks().where('webhook.user_id', '=', owner.userId)
        : this.selectWebhooks().where('webhook.organization_id', '=', owner.organizationId)
    )
      .orderBy('webhook.created_at')
      .orderBy('webhook.id')
      .execute();
  }

  find(id: string) {
    return this.selectWebhooks().where('webhook.id', '=', id).executeTakeFirst();
  }

  lock(id: string) {
    return this.selectWebhooks().where('webhook.id', '=', id).forNoKeyUpdate('webhook').executeTakeFirst();
  }

  async update(id: string, changes: WebhookChanges) {
    await this.database.updateTable('webhooks').set(changedColumns(changes)).where('id', '=', id).execute();
  }

  async delete(id: string) {
    await this.database.deleteFrom('webhooks').where('id', '=', id).execute();
  }

  async listDeliveries({ webhookId, limit, before }: { webhookId: string; limit: number; before: string | undefined }) {
    const deliveries = this.database
      .selectFrom('webhook_deliveries as delivery')
      .innerJoin('events as event', 'event.position', 'delivery.position')
      .select(['delivery.id', 'delivery.position', 'event.id as eventId', 'event.type', 'delivery.attempt'])
      .select(['delivery.at', 'delivery.duration_ms as durationMs', 'delivery.status', 'delivery.error'])
      .where('delivery.webhook_id', '=', webhookId)
      .orderBy('delivery.id', 'desc')
      .limit(limit);
    const rows = await (before === undefined ? deliveries : deliveries.where('delivery.id', '<', before)).execute();
    return rows.map(({ at, ...delivery }) => ({ ...delivery, at: at.toISOString() }));
  }

  async insertDelivery(webhookId: string, { position, attempt, at, durationMs, status, error }: DeliveryAttempt) {
    // Nothing when the webhook was deleted in the meantime.
    await sql`
      insert into webhook_deliveries (webhook_id, position, attempt, at, duration_ms, status, error)
      select id, ${position}, ${attempt}, ${at}, ${durationMs}, ${status}, ${error}
      from webhooks where id = ${webhookId}`.execute(this.database);
  }

  async deleteDeliveriesBefore(date: Date) {
    await sql`
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where at < ${date} order by at limit ${MAX_DELETED}
      )`.execute(this.database);
  }

  async trimDeliveries(max: number, since: Date) {
    await sql`
      delete from webhook_deliveries delivery
      using (
        select active.webhook_id, (
          select id from webhook_deliveries last where last.webhook_id = active.webhook_id
          order by id desc offset ${max} limit 1
        ) as last_id
        from (select distinct webhook_id from webhook_deliveries where at > ${since}) active
      ) trimmed
      where delivery.webhook_id = trimmed.webhook_id and delivery.id <= trimmed.last_id`.execute(this.database);
  }
}

function ownerColumns(owner: FeedReader) {
  return {
    user_id: 'userId' in owner ? owner.userId : null,
    organization_id: 'organizationId' in owner ? owner.organizationId : null,
  };
}

function makerColumns({ userId, keyId }: WebhookMaker) {
  return { created_by: userId, key_id: keyId ?? null };
}

/** The driver takes an array for JSON otherwise. */
function toArray(types: readonly EventType[] | null) {
  return sql<readonly EventType[] | null>`${types}::text[]`;
}

function changedColumns({ isRevised, isReleased, ...changes }: WebhookChanges) {
  const { types, pausedAt, pauseReason } = changes;
  return {
    ...(changes.url !== undefined && { url: changes.url }),
    ...(changes.maker !== undefined && makerColumns(changes.maker)),
    ...(types !== undefined && { types: toArray(types) }),
    ...(changes.secretVersion !== undefined && { secret_version: changes.secretVersion }),
    ...(changes.secretRotatedAt !== undefined && { secret_rotated_at: changes.secretRotatedAt }),
    ...(changes.position !== undefined && { position: changes.position }),
    ...(changes.pendingPosition !== undefined && { pending_position: changes.pendingPosition }),
    ...(changes.attempts !== undefined && { attempts: changes.attempts }),
    ...challengeColumns(changes),
    ...(changes.failingSince !== undefined && { failing_since: changes.failingSince }),
    ...(changes.runAt !== undefined && { run_at: changes.runAt }),
    ...(pausedAt !== undefined && { paused_at: pausedAt }),
    ...(pauseReason !== undefined && { pause_reason: pauseReason }),
    ...(changes.isSlow !== undefined && { is_slow: changes.isSlow }),
    ...(isRevised && { revision: sql<number>`revision + 1` }),
    ...(isReleased && { lease_id: null, leased_until: null }),
  };
}

function challengeColumns({ verifiedAt, challenge, challengesLeft, challengeError }: WebhookChanges) {
  return {
    ...(verifiedAt !== undefined && { verified_at: verifiedAt }),
    ...(challenge !== undefined && { challenge }),
    ...(challengesLeft !== undefined && { challenges_left: challengesLeft }),
    ...(challengeError !== undefined && { challenge_error: challengeError }),
  };
}
