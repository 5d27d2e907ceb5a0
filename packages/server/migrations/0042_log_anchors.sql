-- Heads of the public log that its contract on chain has confirmed.

-- step: add the table
create table log_anchors (
  chain_id bigint not null,
  contract bytea not null,
  size bigint not null,
  root bytea not null,
  transaction_hash bytea not null,
  block_number bigint not null,
  block_hash bytea not null,
  block_time timestamptz not null,
  primary key (chain_id, contract, size)
);
create index log_anchors_by_block on log_anchors (block_hash);
