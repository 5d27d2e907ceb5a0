-- step: let what is known about a Mark go with it
alter table invitations drop constraint invitations_mark_id_fkey,
  add constraint invitations_mark_id_fkey foreign key (mark_id) references marks on delete cascade not valid;
alter table mark_counters drop constraint mark_counters_mark_id_fkey,
  add constraint mark_counters_mark_id_fkey foreign key (mark_id) references marks on delete cascade not valid;
alter table mark_domains drop constraint mark_domains_mark_id_fkey,
  add constraint mark_domains_mark_id_fkey foreign key (mark_id) references marks on delete cascade not valid;
alter table mark_members drop constraint mark_members_mark_id_fkey,
  add constraint mark_members_mark_id_fkey foreign key (mark_id) references marks on delete cascade not valid;
alter table mark_preferences drop constraint mark_preferences_mark_id_fkey,
  add constraint mark_preferences_mark_id_fkey foreign key (mark_id) references marks on delete cascade not valid;
alter table marks drop constraint marks_represented_by_fkey,
  add constraint marks_represented_by_fkey foreign key (represented_by) references marks on delete set null not valid;

-- step: check the references of invitations
alter table invitations validate constraint invitations_mark_id_fkey;

-- step: check the references of counters
alter table mark_counters validate constraint mark_counters_mark_id_fkey;

-- step: check the references of domains
alter table mark_domains validate constraint mark_domains_mark_id_fkey;

-- step: check the references of members
alter table mark_members validate constraint mark_members_mark_id_fkey;

-- step: check the references of preferences
alter table mark_preferences validate constraint mark_preferences_mark_id_fkey;

-- step: check the references of representatives
alter table marks validate constraint marks_represented_by_fkey;

-- step: guard the history of a Mark while it exists
-- original without: alter table invitations | alter table mark_counters | alter table mark_domains | alter table mark_members | alter table mark_preferences | alter table marks
