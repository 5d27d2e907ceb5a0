-- Codes by which look-alikes of images are found. Derived from the metadata of Artifacts, which is what counts. Each process
-- copies the codes to memory, in the order of their numbers, where the number is the position.

create table image_codes (
  sequence bigint generated always as identity primary key,
  artifact_id uuid not null unique references artifacts (id) on delete cascade,
  p_hash bigint not null,
  d_hash bigint,
  p_hash_center_90 bigint,
  p_hash_center_80 bigint
);

-- A hash of 64 bits as a signed number.
create function image_code(hash text) returns bigint language sql immutable parallel safe as $$
  select ('x' || substr(hash, 3))::bit(64)::bigint
$$;

insert into image_codes (artifact_id, p_hash)
select id, image_code(metadata ->> 'pHash') from artifacts
where metadata ->> 'pHash' ~ '^0x[0-9a-f]{16}$' and metadata ->> 'pHash' not in ('0x0000000000000000', '0xffffffffffffffff')
order by created_at, id;
