-- Events of Artifacts and claims, which have lists of their own, are deleted after a time. Those that say who did what in an
-- organization, or with an account, stay.

-- step: keep how far events were deleted
create table event_retention (
  is_only_row boolean primary key default true check (is_only_row),
  last_id bigint not null default 0,       -- events up to this id have been looked at
  last_position bigint not null default 0  -- the feed is complete after this position
);
insert into event_retention default values;

-- step: let old events be deleted that no list shows
create or replace trigger events_are_append_only
  before update of id, at, type, actor_id, organization_id, mark_id, user_id, key_id, data, is_listed or truncate on events
  for each statement execute function refuse_change();
-- A month less than the shortest time that can be set.
create trigger events_stay before delete on events
  for each row when (old.is_listed or old.at > now() - interval '1 month') execute function refuse_change();
