-- A copy of the registry contract's events, so that lookups need no call to the node.

-- The resolved entries: for each fingerprint the curated one, and the earliest public one. An entry is removed when its
-- block vanishes from the chain, and never changes otherwise.
create table chain_entries (
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  source smallint not null check (source in (1, 2)),   -- as in the contract: curated, public
  -- Null when the writer stated an id or endpoints that are not returned: the entry stands, and matches nothing.
  manifest_id text,
  manifest_hash bytea not null check (octet_length(manifest_hash) = 32),
  registered_by bytea not null check (octet_length(registered_by) = 20),
  endpoints text[],                                    -- of a public entry, the safe ones; curated ones share chain_endpoints
  block_number bigint not null,
  log_index integer not null,
  registered_at timestamptz not null,                  -- of the block
  primary key (fingerprint, source)
);
create index chain_entries_by_block on chain_entries (block_number);

-- The endpoints of all curated entries: those of the latest row.
create table chain_endpoints (
  block_number bigint not null,
  log_index integer not null,
  endpoints text[] not null,
  primary key (block_number, log_index)
);

-- The accounts that were ever allowed to write the curated registry: with a single one, it wrote every entry.
create table chain_registrars (
  block_number bigint not null,
  log_index integer not null,
  account bytea not null check (octet_length(account) = 20),
  primary key (block_number, log_index)
);

-- Blocks up to which the mirror was complete, to find the last common one after a reorganization: every recent one, older
-- ones with growing distance.
create table chain_blocks (
  number bigint primary key,
  hash bytea not null check (octet_length(hash) = 32)
);

-- How far the mirror is. One row for the registry in use; another chain or contract starts over.
create table chain_mirror (
  only_row boolean primary key default true check (only_row),
  chain_id bigint not null,
  registry bytea not null check (octet_length(registry) = 20),
  first_block bigint not null,                         -- of the contract
  mirrored_block bigint not null,                      -- all events up to this block are in chain_entries
  head_block bigint not null,                          -- the newest block that the node has shown
  checked_at timestamptz,                              -- when the node last confirmed both; null: known to be incomplete
  curated_count bigint not null default 0,             -- curated rows of chain_entries
  counted_block bigint not null                        -- the last block at which the contract had as many
);
