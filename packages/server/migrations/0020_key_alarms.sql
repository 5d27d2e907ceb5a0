-- What the alarms of API keys need to know.

alter table api_keys
  add column expiry_announced_at timestamptz,
  add column new_address_at timestamptz;      -- when the last alarm was given

-- From where a key was used: an IPv4 address, or the /64 network of an IPv6 address.
create table api_key_networks (
  key_id uuid not null references api_keys,
  network inet not null,
  primary key (key_id, network)
);
insert into api_key_networks (key_id, network)
select id, case when last_used_address ~ ':' then network(set_masklen(last_used_address::inet, 64)) else last_used_address::inet end
from api_keys
where last_used_address ~ '^([0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$';
