-- Verified domains, names, statements of authorship, and claims.

-- Domains that Marks claim. A row is one period: a domain that lapsed or was removed gets a new row when it is claimed
-- again, so that it stays known which domain was verified when, and by which user.
create table mark_domains (
  id uuid primary key,
  mark_id uuid not null references marks,
  domain text not null,                       -- ASCII, in lower case
  claimed_by uuid not null references users,
  claimed_at timestamptz not null default now(),
  method text check (method in ('dns', 'file')),  -- of the last successful check
  verified_at timestamptz,                    -- the first successful check
  last_success_at timestamptz,
  failing_since timestamptz,                  -- the first failed check after the last successful one
  last_checked_at timestamptz,
  last_error text,
  next_check_at timestamptz not null default now(),
  warned_at timestamptz,                      -- when the admin was told that it will lapse
  ended_at timestamptz,
  end_reason text check (end_reason in ('removed', 'lapsed', 'expired')),
  ended_by uuid references users,
  check ((verified_at is null) = (last_success_at is null) and (verified_at is null) = (method is null)),
  check ((ended_at is null) = (end_reason is null))
);
create unique index mark_domains_active on mark_domains (mark_id, domain) where ended_at is null;
create index mark_domains_by_mark on mark_domains (mark_id) where verified_at is not null;
create index mark_domains_by_domain on mark_domains (domain) where ended_at is null and verified_at is not null;
create index mark_domains_due on mark_domains (next_check_at) where ended_at is null;

alter table marks
  -- The form in which names that look alike are equal. Null for Marks from before, until the service computes it.
  add column name_skeleton text,
  add column represented_by uuid references marks;
create index marks_by_name_skeleton on marks (name_skeleton) where visibility = 'public';
create index marks_without_skeleton on marks (id) where name_skeleton is null;

-- Artifacts of each Mark, without those that failed. Changes together with the counters of the owner.
create table mark_counters (
  mark_id uuid primary key references marks,
  artifacts bigint not null default 0
);
insert into mark_counters (mark_id, artifacts)
select marks.id, count(artifacts.id)
from marks left join artifacts
  on artifacts.mark_id = marks.id and artifacts.rendition_of is null and artifacts.error_reason is null
group by marks.id;

-- Whether the registrant stated to be the author, or to be allowed to speak for the author.
alter table artifacts add column authorship_stated boolean not null default false;

-- Users who contest an Artifact, with their evidence.
create table claims (
  id uuid primary key,
  artifact_id uuid not null references artifacts,
  contested_mark_id uuid not null references marks,  -- of the Artifact, which never changes
  claimant_id uuid not null references users,
  mark_id uuid references marks,              -- the Mark that the claimant speaks for
  kind text not null check (kind in ('statement', 'timestamp', 'manifest', 'chain-entry')),
  statement text not null,
  evidence bytea,                             -- the time-stamp token or the manifest store
  created_at timestamptz not null default now(),
  -- What the check of the evidence found. Checked again when the trusted roots change.
  evidence_state text not null check (evidence_state in ('none', 'unchecked', 'checked')),
  evidence_time timestamptz,
  evidence_details jsonb not null default '{}',
  ended_as text check (ended_as in ('withdrawn', 'superseded')),
  check ((kind = 'statement') = (evidence_state = 'none')),
  check (evidence_state <> 'checked' or evidence_time is not null)
);
create unique index claims_open on claims (artifact_id, claimant_id) where ended_as is null;
create index claims_by_artifact on claims (artifact_id);
create index claims_by_contested_mark on claims (contested_mark_id, created_at desc);
create index claims_by_claimant on claims (claimant_id, created_at desc);

-- What was said and done about a claim.
create table claim_entries (
  id bigint generated always as identity primary key,
  claim_id uuid not null references claims,
  type text not null check (type in ('answer', 'withdrawal', 'superseded', 'operator-note')),
  author_id uuid references users,            -- null: the operator
  text text,
  mark_id uuid references marks,              -- superseded by this Mark
  at timestamptz not null default now()
);
create index claim_entries_by_claim on claim_entries (claim_id, id);
create index claim_entries_by_author on claim_entries (author_id, id);

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% are never changed or removed', tg_table_name;
end $$;
create trigger claim_entries_are_append_only before update or delete or truncate on claim_entries
  for each statement execute function refuse_change();
create trigger claims_are_permanent before delete or truncate on claims
  for each statement execute function refuse_change();
create trigger claims_do_not_change
  before update of id, artifact_id, contested_mark_id, claimant_id, mark_id, kind, statement, evidence, created_at on claims
  for each statement execute function refuse_change();
create trigger claims_end_once before update of ended_as on claims
  for each row when (old.ended_as is not null) execute function refuse_change();
-- Which domain was verified when, and by which user, is kept for good.
create trigger mark_domains_are_permanent before delete or truncate on mark_domains
  for each statement execute function refuse_change();
create trigger mark_domains_end_once before update on mark_domains
  for each row when (old.ended_at is not null) execute function refuse_change();
