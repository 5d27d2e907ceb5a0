-- Marks without Artifacts and claims can go, with an account whose address was never verified. What is known about a Mark goes
-- with it and never before: its history of preferences and domains proves nothing once there is no such Mark.

alter table invitations drop constraint invitations_mark_id_fkey,
  add constraint invitations_mark_id_fkey foreign key (mark_id) references marks on delete cascade;
alter table mark_counters drop constraint mark_counters_mark_id_fkey,
  add constraint mark_counters_mark_id_fkey foreign key (mark_id) references marks on delete cascade;
alter table mark_domains drop constraint mark_domains_mark_id_fkey,
  add constraint mark_domains_mark_id_fkey foreign key (mark_id) references marks on delete cascade;
alter table mark_members drop constraint mark_members_mark_id_fkey,
  add constraint mark_members_mark_id_fkey foreign key (mark_id) references marks on delete cascade;
alter table mark_preferences drop constraint mark_preferences_mark_id_fkey,
  add constraint mark_preferences_mark_id_fkey foreign key (mark_id) references marks on delete cascade;
alter table marks drop constraint marks_represented_by_fkey,
  add constraint marks_represented_by_fkey foreign key (represented_by) references marks on delete set null;

create function refuse_change_of_mark() returns trigger language plpgsql as $$
begin
  if exists (select 1 from marks where id = old.mark_id) then
    raise exception '% are never changed or removed', tg_table_name;
  end if;
  return old;
end $$;

drop trigger mark_domains_are_permanent on mark_domains;
create trigger mark_domains_are_permanent before delete on mark_domains
  for each row execute function refuse_change_of_mark();
create trigger mark_domains_are_not_truncated before truncate on mark_domains
  for each statement execute function refuse_change();

drop trigger mark_preferences_are_append_only on mark_preferences;
create trigger mark_preferences_are_permanent before delete on mark_preferences
  for each row execute function refuse_change_of_mark();
create trigger mark_preferences_do_not_change before update or truncate on mark_preferences
  for each statement execute function refuse_change();
