-- 0030 adds the first preferences of Marks that exist already.

-- step: record preferences
-- original without: alter table artifacts | insert into mark_preferences

-- step: add the preferences of Artifacts
alter table artifacts add column ai_preferences jsonb;
