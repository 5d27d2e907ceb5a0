-- Registrations on their way to the chain.

-- The registries that this database has written to: a node of another chain in their place is a mistake.
create table registries (
  chain_id bigint not null,
  address bytea not null check (octet_length(address) = 20),
  first_used_at timestamptz not null default now(),
  primary key (chain_id, address)
);

-- One row a nonce of the writing key, from before anything is sent until nothing can undo it any more.
create table chain_transactions (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  sender bytea not null check (octet_length(sender) = 20),
  nonce bigint not null check (nonce >= 0),
  recipient bytea not null check (octet_length(recipient) = 20),
  calldata bytea not null,
  gas bigint not null,
  block_number bigint,                -- set while it is deep enough in the chain, and watched for a reorganisation
  block_hash bytea check (octet_length(block_hash) = 32),
  created_at timestamptz not null default now(),
  check ((block_number is null) = (block_hash is null)),
  unique (chain_id, sender, nonce)
);

-- What was signed for a nonce: written down first, then sent. A later one pays more.
create table chain_attempts (
  hash bytea primary key check (octet_length(hash) = 32),
  transaction_id bigint not null references chain_transactions on delete cascade,
  raw bytea not null,
  max_fee_per_gas numeric not null,
  max_priority_fee_per_gas numeric not null,
  created_at timestamptz not null default now()
);
create index chain_attempts_by_transaction on chain_attempts (transaction_id);

alter table outbox
  drop column leased_until,
  add column transaction_id bigint references chain_transactions;   -- null: waits for one
create index outbox_by_transaction on outbox (transaction_id) where transaction_id is not null;
drop index outbox_due;
create index outbox_due on outbox (run_at, id) where transaction_id is null;
