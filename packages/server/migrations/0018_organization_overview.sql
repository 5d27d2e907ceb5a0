-- The overview of an organization counts its Artifacts by Mark, creator and day from these indexes alone: their rows are
-- scattered over the whole table. None of the columns changes until an Artifact fails, so that updates stay as cheap as before.

create index artifacts_by_mark_and_creator on artifacts (mark_id, created_by, created_at)
  where rendition_of is null and error_reason is null;
create index artifacts_failed_by_mark on artifacts (mark_id) where rendition_of is null and error_reason is not null;
