-- 0030 counts the Artifacts of each Mark.

-- step: add tables and columns
-- original without: create index marks_by_name_skeleton | create index marks_without_skeleton | insert into mark_counters | alter table artifacts

-- step: index the names of Marks
create index concurrently marks_by_name_skeleton on marks (name_skeleton) where visibility = 'public';

-- step: index the Marks without a skeleton
create index concurrently marks_without_skeleton on marks (id) where name_skeleton is null;

-- step: add the statement of authorship
alter table artifacts add column authorship_stated boolean not null default false;
