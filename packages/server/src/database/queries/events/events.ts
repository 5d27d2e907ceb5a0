// Queries about events.

import type { RegistryEvent } from '@provenance-registry/core';
import { type InferResult, type RawBuilder, sql } from 'kysely';
import type { Events, NewArtifact, NewEvent } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';
import { Queries } from '../queries.js';
import { countEvents } from './eventLimits.js';

export class EventQueries extends Queries implements Events {
  async append(...events: readonly NewEvent[]) {
    if (events.length === 0) return;
    await countEvents(this.database, events);
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

/**
 * Part of the statement that records Artifacts: their events in the feed. Artifacts, signed copies and look-alikes have
 * lists of their own.
 */
export function insertCreationEvents(artifacts: readonly NewArtifact[], isRecorded: RawBuilder<unknown>) {
  const created = sql`
    select 'artifact.created', created_by, organization_id, mark_id,
      jsonb_build_object('fingerprint', '0x' || encode(fingerprint, 'hex'), 'manifestId', input.id), false
    from input join authorized_marks mark on mark.id = mark_id
    where ${isRecorded}`;
  const signed = sql`
    select 'rendition.created', created_by, organization_id, mark_id, jsonb_build_object(
      'fingerprint', '0x' || encode(rendition_fingerprint, 'hex'), 'manifestId', input.id,
      'renditionOf', '0x' || encode(fingerprint, 'hex')
    ), false
    from input join authorized_marks mark on mark.id = mark_id
    where rendition_id in (select id from inserted_signed_copies) and exists (select 1 from counted_quota)`;
  const hasSignedCopies = artifacts.some(({ signedCopy }) => signedCopy !== undefined);
  const hasLookalikes = artifacts.some(({ similarTo }) => similarTo !== undefined);
  const events = [
    created,
    ...(hasSignedCopies ? [signed] : []),
    ...(hasLookalikes ? [lookalikesFound(isRecorded)] : []),
  ];
  return sql`
    insert into events (type, actor_id, organization_id, mark_id, data, is_listed)
    ${sql.join(events, sql` union all `)}`;
}

/** One for the Mark of the new Artifact; and one for each of the others, which must not learn of an Artifact of a private Mark. */
function lookalikesFound(isRecorded: RawBuilder<unknown>) {
  return sql`
    select 'lookalike.found', null, organization_id, mark_id, jsonb_build_object(
      'fingerprint', '0x' || encode(fingerprint, 'hex'), 'manifestId', input.id,
      'similarTo', jsonb_path_query_array(similar_to, '$[*].fingerprint')
    ), false
    from input join authorized_marks mark on mark.id = mark_id
    where similar_to is not null and ${isRecorded}
    union all
    select 'lookalike.found', null, other.organization_id, other.id, jsonb_build_object(
      'fingerprint', closest.fingerprint, 'similarTo', jsonb_build_array('0x' || encode(input.fingerprint, 'hex'))
    ), false
    from input join authorized_marks mark on mark.id = mark_id and mark.visibility = 'public'
    cross join lateral (
      select distinct on (one ->> 'markId') one ->> 'fingerprint' as fingerprint, (one ->> 'markId')::uuid as mark_id
      from jsonb_array_elements(similar_to) with ordinality as similar_one (one, place)
      order by one ->> 'markId', place
    ) closest
    join marks other on other.id = closest.mark_id
    where ${isRecorded}`;
}
