-- The public log: an append-only Merkle log of what was registered.

-- step: add the tables
-- Leaves in the order in which they were written. They get their indexes after the commit, as events do, and are deleted some
-- days after they were published: from then on the published files have them.
create table log_entries (
  id bigint generated always as identity primary key,
  kind text not null,
  leaf text,                -- as it is hashed; null: made when it gets its index, of what it names
  fingerprint bytea,        -- of the Artifact or signed copy
  leaf_index bigint,        -- null: not in the log yet
  created_at timestamptz not null default now()
);
create index log_entries_without_index on log_entries (id) where leaf_index is null;
create unique index log_entries_by_index on log_entries (leaf_index) where leaf_index is not null;
-- As for the positions of events.
alter table log_entries set (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 10000,
  vacuum_index_cleanup = on
);

-- Where the leaves of Artifacts and signed copies are.
create table log_leaves (
  leaf_index bigint primary key,
  fingerprint bytea not null
);
create index log_leaves_by_fingerprint on log_leaves (fingerprint, leaf_index);

-- What leaves hide, with its salt: without this row, the hash in the leaf tells nothing.
create table log_openings (
  hidden bytea primary key, -- the hash in the leaf
  opening jsonb not null,
  mark_id uuid,             -- of this private Mark, or
  user_id uuid,             -- written by this user; both null: by the operator
  check (num_nonnulls(mark_id, user_id) <= 1)
);
create index log_openings_by_mark on log_openings (mark_id) where mark_id is not null;
create index log_openings_by_user on log_openings (user_id) where user_id is not null;

-- One row: the tree that is committed. What is published never has more leaves.
create table log_head (
  is_only_row boolean primary key default true check (is_only_row),
  origin text,              -- name of the log; null: it has not begun
  size bigint not null default 0,
  root bytea not null default sha256(''),
  created_at timestamptz not null default now()
);
insert into log_head default values;

-- The keys that sign the log, and the roots of manifests, as its leaves state them. The last one signs now.
create table log_keys (
  id integer generated always as identity primary key,
  vkey text not null,
  signers bytea[] not null,
  created_at timestamptz not null default now()
);

-- What was there before the log and is not in it yet, in the order in which it is imported. Empty from then on.
create table log_import (
  position bigint primary key,
  kind text not null check (kind in ('mark', 'artifact', 'claim')),
  id uuid not null
);

-- Artifacts that others than the present release record, and recovered ones: their leaves are made later.
create function add_log_entry() returns trigger language plpgsql as $$
begin
  insert into log_entries (kind, fingerprint)
  values (case when new.rendition_of is null then 'artifact' else 'rendition' end, new.fingerprint);
  return null;
end $$;
create trigger artifacts_without_log_entry after insert on artifacts for each row
  when (new.error_reason is null and current_query() not like '%log_entries%') execute function add_log_entry();

-- A failed Artifact frees its fingerprint. The leaf has the index of its own.
create function add_failed_log_entry() returns trigger language plpgsql as $$
begin
  insert into log_entries (kind, fingerprint) values ('failed', new.fingerprint);
  return null;
end $$;
create trigger failures_are_logged after update of error_reason on artifacts for each row
  when (old.error_reason is null and new.error_reason is not null) execute function add_failed_log_entry();

-- step: list what was there before
insert into log_import (position, kind, id)
select row_number() over (order by kind = 'claim', kind = 'artifact', created_at, id), kind, id
from (
  select 'mark' as kind, id, created_at from marks where visibility = 'public'
  union all
  select 'artifact', id, created_at from artifacts
  where error_reason is null and not exists (
    select 1 from log_entries
    where log_entries.fingerprint = artifacts.fingerprint and log_entries.kind in ('artifact', 'rendition')
  )
  union all
  select 'claim', id, created_at from claims where created_at < (select created_at from log_head)
) earlier;
