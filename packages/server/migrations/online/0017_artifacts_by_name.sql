-- step: index the names of files
create index concurrently artifacts_by_mark_and_name
  on artifacts (mark_id, left(lower((metadata ->> 'filename') collate "C"), 100), id) where rendition_of is null;
