-- step: index the creators of each Mark
create index concurrently artifacts_by_mark_and_creator on artifacts (mark_id, created_by, created_at)
  where rendition_of is null and error_reason is null;

-- step: index the failed Artifacts of each Mark
create index concurrently artifacts_failed_by_mark on artifacts (mark_id)
  where rendition_of is null and error_reason is not null;
