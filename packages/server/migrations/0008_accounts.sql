-- Sessions, second factors, mail, invitations and events.

alter table users
  add column email_verified boolean not null default false,
  add column has_totp boolean not null default false,
  -- When all sessions were last ended: tokens without a session are refused if they are not newer. Milliseconds, which
  -- JavaScript can read and write back unchanged.
  add column tokens_not_before timestamptz(3),
  add column closed_at timestamptz;           -- email, name, password and provider are erased then
-- The service takes over only addresses that the provider has verified.
update users set email_verified = true where issuer is not null and email is not null;

-- Every token belongs to a session. Tokens without a session id (older ones, and those of an OpenID provider) get theirs
-- when they are first used; therefore ended sessions stay until their token expires.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz not null,
  user_agent text,
  ended_at timestamptz
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table second_factors (
  user_id uuid primary key references users,
  secret bytea not null,                      -- encrypted
  confirmed_at timestamptz,                   -- null until the first code was entered
  last_step bigint not null default 0,        -- the time step of the last code used: a code works once
  failures integer not null default 0,        -- wrong codes since the last right one
  blocked_until timestamptz,                  -- after too many of them
  recovery_code_hashes bytea[] not null default '{}'
);

-- Links in mails that verify an address or reset a password. Only hashes of their tokens are kept.
create table one_time_tokens (
  id uuid primary key,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  user_id uuid not null references users,
  purpose text not null check (purpose in ('verify-email', 'reset-password')),
  email text,                                 -- the address that verification proves
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index one_time_tokens_by_user on one_time_tokens (user_id);

-- Mails to be sent, written in the transaction of their cause. Tokens in them are computed when they are sent.
create table mails (
  id uuid primary key,                        -- part of the Message-ID
  recipient text not null,
  template text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,            -- of no use afterwards
  attempts integer not null default 0,
  run_at timestamptz not null default now(),
  sent_at timestamptz,
  last_error text
);
create index mails_due on mails (run_at) where sent_at is null;
create index mails_by_recipient on mails (recipient, template);

-- Open invitations only; accepted, declined, withdrawn and expired ones are in the events.
create table invitations (
  id uuid primary key,
  organization_id uuid references organizations,
  mark_id uuid references marks,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  email text,
  requires_email boolean not null,            -- only an account with this verified address may accept it
  is_admin boolean not null default false,
  invited_by uuid not null references users,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (num_nonnulls(organization_id, mark_id) = 1),
  check (email is not null or not requires_email)
);
create index invitations_by_organization on invitations (organization_id) where organization_id is not null;
create index invitations_by_mark on invitations (mark_id) where mark_id is not null;
create index invitations_by_email on invitations (email) where email is not null;
create index invitations_by_expiry on invitations (expires_at);

-- What happened, written in the transaction of its cause. Names and addresses are not stored here: they can be erased.
create table events (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  type text not null,
  actor_id uuid references users,             -- null: the service itself, or its operator
  organization_id uuid references organizations,
  mark_id uuid references marks,
  user_id uuid references users,              -- the user that it happened to
  key_id uuid references api_keys,
  data jsonb
);
create index events_by_organization on events (organization_id, id desc) where organization_id is not null;
create index events_by_actor on events (actor_id, id desc) where actor_id is not null;
create index events_by_user on events (user_id, id desc) where user_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are never changed or removed';
end $$;
create trigger events_are_append_only before update or delete or truncate on events
  for each statement execute function refuse_change();

alter table api_keys
  add column scope text check (scope in ('read', 'register', 'manage')),   -- null: acts as the owner
  add column expires_at timestamptz,
  add column last_used_address text,
  add column last_used_agent text;
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null;

-- Changes whenever a user loses access to the Mark: a registration that was authorized before is refused after.
alter table marks add column access_version integer not null default 0;

-- Admins of an organization's Marks who are no longer its members.
update marks set admin_id = organization.owner_id
from organizations organization
where organization.id = marks.organization_id
  and not exists (
    select 1 from organization_members
    where organization_id = organization.id and user_id = marks.admin_id
  );

-- All Artifacts and signed copies of a user.
create index artifacts_by_creator on artifacts (created_by, created_at desc, id desc);
