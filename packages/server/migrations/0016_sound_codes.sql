-- Values by which look-alikes of sound are found: some of the items of each Chromaprint, chosen by the item itself. Derived from
-- the metadata of Artifacts, which is what counts. Empty for sound that is too short or too uniform to compare.

create table sound_codes (
  artifact_id uuid primary key references artifacts (id) on delete cascade,
  -- Null until the service has computed it, for Artifacts from before this table.
  extract integer[]
);
-- Without a list of pending entries: each search would read all of it.
create index sound_codes_by_value on sound_codes using gin (extract) with (fastupdate = off);
create index sound_codes_missing on sound_codes (artifact_id) where extract is null;

insert into sound_codes (artifact_id) select id from artifacts where metadata ? 'chromaprint';

-- Artifacts that share at least two of these values. A value that hundreds of recordings have says little: of each value, only
-- some of its recordings count, which limits the time that a search takes.
create function find_sounds(asked integer[]) returns table (artifact_id uuid, shared bigint)
-- Few: with the planner's guess of 1,000, it would read all Artifacts to join them.
language sql stable parallel safe rows 20
-- The planner does not know how rare values are, and compiling takes longer than the query.
set enable_seqscan = off
set jit = off
as $$
  select found.artifact_id, count(*)
  from unnest(asked) value
  cross join lateral (
    select sound_codes.artifact_id from sound_codes where extract @> array[value] limit 500
  ) found
  group by found.artifact_id
  having count(*) > 1
$$;
