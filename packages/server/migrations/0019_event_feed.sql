-- The feed of events, and webhooks that follow it.

-- Positions are given after the commit, one transaction after the other: a reader that has seen a position never finds a new
-- event below it, however long another transaction was open. `id` only tells in which order events were written.
alter table events
  add column position bigint,
  -- False for what has lists of its own: Artifacts, renditions and look-alikes.
  add column is_listed boolean not null default true;

-- Rows of these tables are never deleted, and events are written with every Artifact.
alter table events
  drop constraint events_actor_id_fkey,
  drop constraint events_organization_id_fkey,
  drop constraint events_mark_id_fkey,
  drop constraint events_user_id_fkey,
  drop constraint events_key_id_fkey;

drop trigger events_are_append_only on events;
update events set position = id;
create trigger events_are_append_only
  before update of id, at, type, actor_id, organization_id, mark_id, user_id, key_id, data, is_listed or delete or truncate on events
  for each statement execute function refuse_change();
create trigger positions_are_permanent before update of position on events
  for each row when (old.position is not null) execute function refuse_change();

drop index events_by_organization, events_by_actor, events_by_user;
create index events_by_organization on events (organization_id, id desc) where organization_id is not null and is_listed;
create index events_by_actor on events (actor_id, id desc) where actor_id is not null and is_listed;
create index events_by_user on events (user_id, id desc) where user_id is not null and is_listed;

-- Those without a position are in this index alone, so that writing an event costs little.
create index events_without_position on events (id) where position is null;
create unique index events_by_position on events (position) where position is not null;
create index feed_of_organization on events (organization_id, position)
  where organization_id is not null and position is not null;
create index feed_of_mark on events (mark_id, position) where mark_id is not null and position is not null;
create index feed_of_user on events (user_id, position) where user_id is not null and position is not null;

-- One row: the last position that was given. Its lock keeps two processes from giving positions at the same time.
create table event_feed (
  is_only_row boolean primary key default true check (is_only_row),
  last_position bigint not null
);
insert into event_feed (last_position) select coalesce(max(position), 0) from events;

create table webhooks (
  id uuid primary key,
  user_id uuid references users,               -- of this user, or
  organization_id uuid references organizations,
  created_by uuid not null references users,
  url text not null,
  types text[],                                -- null: all
  created_at timestamptz not null,
  created_event_id bigint not null, -- the first one that it sends
  -- The secret is derived from the service's own by id and version. The previous one signs too for a while.
  secret_version integer not null default 1,
  secret_rotated_at timestamptz,
  position bigint not null,                    -- events up to here are delivered, or not for this webhook
  pending_position bigint not null default 0,  -- of the last event that may be for it
  attempts integer not null default 0,         -- failed ones, of the next event
  failing_since timestamptz,
  run_at timestamptz not null,                 -- not before: the next attempt
  revision integer not null default 0,         -- a worker stops when it changes
  lease_id uuid,                               -- of the worker that sends its events now
  leased_until timestamptz,
  is_slow boolean not null default false,      -- of the last response
  paused_at timestamptz,
  pause_reason text check (pause_reason in ('requested', 'failing', 'gone')),
  check (num_nonnulls(user_id, organization_id) = 1),
  check ((paused_at is null) = (pause_reason is null))
);
create index webhooks_by_user on webhooks (user_id) where user_id is not null;
create index webhooks_by_organization on webhooks (organization_id) where organization_id is not null;
create index webhooks_due on webhooks (run_at) where paused_at is null and pending_position > position;

-- Every attempt, for some weeks.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  position bigint not null,
  attempt integer not null,
  at timestamptz not null,
  duration_ms integer not null,
  status smallint,                             -- of the response; null if there was none
  error text                                   -- null: delivered
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_by_time on webhook_deliveries (at);
