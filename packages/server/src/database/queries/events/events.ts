// Queries about events.

import type { RegistryEvent } from '@provenance-registry/core';
import type { InferResult } from 'kysely';
import type { Events, NewEvent } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

export class EventQueries implements Events {
  constructor(private readonly database: Database) {}

  async append(...events: readonly NewEvent[]) {
    if (events.length === 0) return;
    await this.database.insertInto('events').values(events.map(toRow)).execute();
  }

  async listOfOrganization({ organizationId, limit, before }: Parameters<Events['listOfOrganization']>[0]) {
    const ofOrganization = selectEvents(this.database)
      .where('event.organization_id', '=', organizationId)
      .where('event.is_listed', '=', true);
    if (before !== undefined && !(await ofOrganization.where('event.id', '=', before).executeTakeFirst()))
      return undefined;
    const page = before === undefined ? ofOrganization : ofOrganization.where('event.id', '<', before);
    return (await page.orderBy('event.id', 'desc').limit(limit).execute()).map(toEvent);
  }
}

export function toRow({ type, actorId, organizationId, markId, userId, keyId, data, isListed }: NewEvent) {
  return {
    type,
    actor_id: actorId ?? null,
    organization_id: organizationId ?? null,
    mark_id: markId ?? null,
    user_id: userId ?? null,
    key_id: keyId ?? null,
    data: data ?? null,
    is_listed: isListed ?? true,
  };
}

export function selectEvents(database: Database) {
  return database
    .selectFrom('events as event')
    .leftJoin('users as actor', 'actor.id', 'event.actor_id')
    .leftJoin('users as person', 'person.id', 'event.user_id')
    .leftJoin('marks as mark', 'mark.id', 'event.mark_id')
    .leftJoin('api_keys as key', 'key.id', 'event.key_id')
    .select(['event.id', 'event.at', 'event.type', 'event.data', 'event.actor_id', 'event.user_id'])
    .select(['event.mark_id', 'event.key_id', 'actor.name as actor_name', 'person.name as user_name'])
    .select(['mark.name as mark_name', 'key.name as key_name']);
}

export function toEvent(row: InferResult<ReturnType<typeof selectEvents>>[number]): RegistryEvent {
  return {
    id: row.id,
    at: row.at.toISOString(),
    type: row.type,
    actor: toReference(row.actor_id, row.actor_name),
    user: toReference(row.user_id, row.user_name),
    mark: toReference(row.mark_id, row.mark_name),
    key: toReference(row.key_id, row.key_name),
    data: row.data,
  };
}

function toReference(id: string | null, name: string | null) {
  return id === null || name === null ? null : { id, name };
}
