-- The whole data model. Ids are made by the service (random UUIDs), times are set here.

create table users (
  id uuid primary key,
  email text unique,                  -- lower case; null when no provider vouches for one
  name text not null,
  password_hash text,                 -- null: comes through the OpenID provider only
  issuer text,                        -- the provider that knows this user, and
  subject text,                       -- its name for the user
  tier text not null default 'free' check (tier in ('free', 'creator', 'enterprise')),
  created_at timestamptz not null default now(),
  check ((issuer is null) = (subject is null)),
  unique (issuer, subject)
);

create table organizations (
  id uuid primary key,
  name text not null,
  owner_id uuid not null references users,
  status text not null default 'active' check (status in ('active', 'frozen')),
  purchased_units integer not null default 0 check (purchased_units >= 0),
  member_count integer not null default 1 check (member_count between 1 and 1 + purchased_units),
  created_at timestamptz not null default now()
);
create index organizations_by_owner on organizations (owner_id);

create table organization_members (
  organization_id uuid not null references organizations,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'member')),
  is_admin boolean not null default false,
  joined_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index organization_members_by_user on organization_members (user_id);

-- What the tiers cap, counted for each owner: a user or an organization. A cap holds under any concurrency
-- because what it counts is written in the statement that moves the counter with a condition.
create table counters (
  owner_id uuid primary key,
  organizations integer not null default 0 check (organizations >= 0),
  marks integer not null default 0 check (marks >= 0),
  api_keys integer not null default 0 check (api_keys between 0 and 5),
  lifetime_artifacts bigint not null default 0 check (lifetime_artifacts >= 0),
  daily_artifacts integer not null default 0 check (daily_artifacts >= 0),
  day date not null default (now() at time zone 'utc')::date   -- the UTC day that daily_artifacts counts
);

create table marks (
  id uuid primary key,
  name text not null,
  search_name text not null,          -- the name folded by the service: servers differ in what they hold for lower case
  visibility text not null check (visibility in ('public', 'private')),
  license text not null,
  allow_ai_training boolean,          -- null: not specified
  admin_id uuid not null references users,
  owner_id uuid references users,
  organization_id uuid references organizations,
  created_at timestamptz not null default now(),
  check (num_nonnulls(owner_id, organization_id) = 1)
);
create index marks_by_admin on marks (admin_id);
create index marks_by_owner on marks (owner_id) where owner_id is not null;
create index marks_by_organization on marks (organization_id) where organization_id is not null;
create index marks_in_gallery on marks (created_at desc, id desc) where visibility = 'public';

create table mark_members (
  mark_id uuid not null references marks,
  user_id uuid not null references users,
  added_at timestamptz not null default now(),
  primary key (mark_id, user_id)
);
create index mark_members_by_user on mark_members (user_id);

create table api_keys (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  prefix text not null,
  last4 text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_active on api_keys (organization_id) where revoked_at is null;

create table artifacts (
  id uuid primary key,
  mark_id uuid not null references marks,
  created_by uuid not null references users,
  created_at timestamptz not null default now(),
  status smallint not null default 0 check (status between 0 and 4),   -- pending, submitting, submitted, failed, confirmed
  content_private boolean not null default false,
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  manifest_hash bytea not null check (octet_length(manifest_hash) = 32),
  transaction_hash bytea check (octet_length(transaction_hash) = 32),
  error_reason text,
  metadata jsonb not null,
  check ((status = 3) = (error_reason is not null))
);
-- The first Mark wins; only a failed registration gives the fingerprint back.
create unique index artifacts_by_fingerprint on artifacts (fingerprint) where status <> 3;
create index artifacts_failed_by_fingerprint on artifacts (fingerprint) where status = 3;
create index artifacts_by_mark on artifacts (mark_id, created_at desc, id desc);

-- Artifacts that wait for the chain: written in the statement that makes the Artifact, gone when it is settled.
create table outbox (
  id bigint generated always as identity primary key,
  artifact_id uuid not null unique references artifacts,
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  leased_until timestamptz,
  last_error text,
  created_at timestamptz not null default now()
);
create index outbox_due on outbox (run_at, id);

-- Who may do what only one process may do at a time.
create table leases (
  name text primary key,
  holder text not null,
  expires_at timestamptz not null
);

-- First answers to creating calls, for their retries.
create table idempotency_keys (
  caller_id uuid not null,
  key text not null,
  request_hash bytea not null check (octet_length(request_hash) = 32),
  response jsonb,                     -- null while the first call is under way
  created_at timestamptz not null default now(),
  primary key (caller_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
