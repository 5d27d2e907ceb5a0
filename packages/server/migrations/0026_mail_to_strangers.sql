-- Mail to strangers: whom an account has written to, and who wants no such mail. Of addresses only keyed hashes are kept.

-- What limits mails in quick succession: the address, or its mailbox (`ada+x@…` is `ada@…`). Null: nothing does.
alter table mails add column limited_by text;
create index mails_by_limit on mails (limited_by, template) where limited_by is not null;

-- Addresses that an account has had mail sent to: an address is new once.
create table mailed_addresses (
  user_id uuid not null references users,
  purpose text not null check (purpose in ('invitation', 'verification')),
  address_hash bytea not null check (octet_length(address_hash) = 20),
  primary key (user_id, purpose, address_hash)
);

-- Addresses whose readers have stopped mail that others cause.
create table mail_stops (
  address_hash bytea primary key check (octet_length(address_hash) = 20),
  stopped_at timestamptz not null default now()
);

-- How much an owner, a user or an organization, has used today (UTC) of what is limited by the day.
create table daily_budgets (
  owner_id uuid not null,
  subject text not null,
  day date not null,
  used integer not null,
  primary key (owner_id, subject)
);
create index daily_budgets_by_day on daily_budgets (day);
