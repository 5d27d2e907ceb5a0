-- AI preferences by use, and what the preference of a Mark was when.

-- An object with the four uses; null: `allow_ai_training` says it for all of them.
alter table marks add column ai_preferences jsonb;
-- As captured and signed at registration; null: `allowAiTraining` of the metadata says it for all uses.
alter table artifacts add column ai_preferences jsonb;

create table mark_preferences (
  id bigint generated always as identity primary key,
  mark_id uuid not null references marks,
  since timestamptz not null,
  allow_ai_training boolean,
  ai_preferences jsonb
);
create index mark_preferences_by_mark on mark_preferences (mark_id, id desc);

-- Of Marks that exist already, earlier changes were not kept: the record begins now.
insert into mark_preferences (mark_id, since, allow_ai_training, ai_preferences)
  select id, now(), allow_ai_training, ai_preferences from marks order by created_at, id;

-- By triggers, so that no statement can change a preference without leaving its trace.
create function record_preferences() returns trigger language plpgsql as $$
begin
  insert into mark_preferences (mark_id, since, allow_ai_training, ai_preferences) values (
    new.id,
    -- Not now(), the start of the transaction: it may have waited for an earlier change of the same Mark.
    case when tg_op = 'INSERT' then new.created_at else clock_timestamp() end,
    new.allow_ai_training,
    new.ai_preferences
  );
  return null;
end $$;
create trigger marks_record_first_preferences after insert on marks
  for each row execute function record_preferences();
create trigger marks_record_preferences after update of allow_ai_training, ai_preferences on marks
  for each row when (
    (old.allow_ai_training, old.ai_preferences) is distinct from (new.allow_ai_training, new.ai_preferences)
  ) execute function record_preferences();
create trigger mark_preferences_are_append_only before update or delete or truncate on mark_preferences
  for each statement execute function refuse_change();
