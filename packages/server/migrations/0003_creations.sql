-- Creations under way: a row stands here from before the first file is published until the Artifact is recorded. One
-- that stays behind belongs to a process that died, and its files are removed.
create table drafts (
  artifact_id uuid primary key,
  created_at timestamptz not null default now()
);
create index drafts_by_age on drafts (created_at);

-- First answers are written down together with what they tell of.
delete from idempotency_keys where response is null;
alter table idempotency_keys alter column response set not null;
