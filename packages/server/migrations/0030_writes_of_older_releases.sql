-- During an upgrade, processes of release 0.2.0 run beside newer ones. They know nothing of what was added since, and what
-- they write is completed here: the Artifacts of each Mark are counted, images and recordings are found by look-alikes, and
-- API keys have a maker. Then what earlier upgrades left out is added.

-- step: complete what processes of 0.2.0 write
create function add_mark_counter() returns trigger language plpgsql as $$
begin
  insert into mark_counters (mark_id) values (new.id) on conflict do nothing;
  return null;
end $$;
-- At the end of the transaction: newer releases add it themselves.
create constraint trigger marks_have_counters after insert on marks deferrable initially deferred
  for each row execute function add_mark_counter();

create function complete_artifact() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    update mark_counters set artifacts = artifacts - 1 where mark_id = new.mark_id;
    return null;
  end if;
  update mark_counters set artifacts = artifacts + 1 where mark_id = new.mark_id;
  insert into image_codes (artifact_id, p_hash)
  select new.id, image_code(new.metadata ->> 'pHash')
  where new.metadata ->> 'pHash' ~ '^0x[0-9a-f]{16}$'
    and new.metadata ->> 'pHash' not in ('0x0000000000000000', '0xffffffffffffffff');
  insert into sound_codes (artifact_id) select new.id where new.metadata ? 'chromaprint';
  return null;
end $$;
-- The statements of 0.2.0 that record Artifacts and let them fail; newer ones count for the Mark in the same statement.
create trigger artifacts_of_older_releases after insert on artifacts for each row
  when (current_query() like '%refuse(''abandoned'')%' and current_query() not like '%mark_counters%')
  execute function complete_artifact();
create trigger failures_of_older_releases after update of error_reason on artifacts for each row
  when (
    old.error_reason is null and new.error_reason is not null and new.rendition_of is null
    and current_query() like '%refused.reason%' and current_query() not like '%mark_counters%'
  ) execute function complete_artifact();

-- Keys of builds before 0022 have no maker, who is the owner.
create function add_key_maker() returns trigger language plpgsql as $$
begin
  new.created_by := (select owner_id from organizations where id = new.organization_id);
  return new;
end $$;
create trigger api_keys_have_makers before insert on api_keys
  for each row when (new.created_by is null) execute function add_key_maker();

-- The owner's counter first, as each creation does: no Artifact is recorded meanwhile.
create function recount_mark(counted uuid) returns void language plpgsql as $$
begin
  perform 1 from counters join marks on counters.owner_id = coalesce(marks.owner_id, marks.organization_id)
  where marks.id = counted for update of counters;
  insert into mark_counters (mark_id, artifacts)
  select counted, count(*) from artifacts
  where mark_id = counted and rendition_of is null and error_reason is null
  on conflict (mark_id) do update set artifacts = excluded.artifacts;
end $$;

-- batches of marks: count the Artifacts of each Mark
with batch as materialized (
  select id, coalesce(owner_id, organization_id) as owner_id from marks
  where $1::uuid is null or id > $1::uuid order by id limit 200
), recounted as materialized (
  select recount_mark(wrong.id) from (
    select id from batch left join mark_counters on mark_id = id
    where mark_counters.artifacts is distinct from (
      select count(*) from artifacts where mark_id = batch.id and rendition_of is null and error_reason is null
    ) order by owner_id
  ) wrong
)
select max(id::text collate "C") as cursor, count(*)::integer as done, (select count(*) from recounted) as wrong
from batch having count(*) > 0

-- batches of marks: record the preferences of each Mark
with batch as materialized (
  select * from marks where $1::uuid is null or id > $1::uuid order by id limit 1000
), recorded as (
  insert into mark_preferences (mark_id, since, allow_ai_training, ai_preferences)
  select id, now(), allow_ai_training, ai_preferences from batch
  -- By index: a join would read all of the other table for each batch.
  where (select min(id) from mark_preferences where mark_id = batch.id) is null
)
select max(id::text collate "C") as cursor, count(*)::integer as done from batch having count(*) > 0

-- batches of artifacts: find images and recordings by look-alikes
with batch as materialized (
  select id, metadata from artifacts where $1::uuid is null or id > $1::uuid order by id limit 2000
), images as (
  insert into image_codes (artifact_id, p_hash, d_hash, p_hash_center_90, p_hash_center_80)
  select id, image_code(metadata ->> 'pHash'), image_code(metadata ->> 'dHash'),
    image_code(metadata ->> 'pHashCenter90'), image_code(metadata ->> 'pHashCenter80')
  from batch
  where metadata ->> 'pHash' ~ '^0x[0-9a-f]{16}$'
    and metadata ->> 'pHash' not in ('0x0000000000000000', '0xffffffffffffffff')
    -- The service finds no features in an image without a dHash; releases up to 0.2.0 did not say who computed a hash.
    and (metadata ? 'dHash' or metadata ->> 'hashesBy' is distinct from 'service')
    and (select artifact_id from image_codes where artifact_id = batch.id) is null
), recordings as (
  insert into sound_codes (artifact_id)
  select id from batch where metadata ? 'chromaprint' on conflict do nothing
)
select max(id::text collate "C") as cursor, count(*)::integer as done from batch having count(*) > 0

-- step: remove what only this migration needs
drop function recount_mark(uuid);
