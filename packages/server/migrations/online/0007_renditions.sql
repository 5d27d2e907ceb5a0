-- step: add the reference to the Artifact of a rendition
alter table artifacts
  add column rendition_of uuid,
  add constraint artifacts_rendition_of_fkey foreign key (rendition_of) references artifacts not valid,
  add constraint artifacts_check1 check (rendition_of <> id) not valid;

-- step: check the references
alter table artifacts validate constraint artifacts_rendition_of_fkey;

-- step: check the rows
alter table artifacts validate constraint artifacts_check1;

-- step: index the renditions
create index concurrently artifacts_renditions on artifacts (rendition_of) where rendition_of is not null;

-- step: index the Artifacts of each Mark, without renditions
create index concurrently artifacts_by_mark_next on artifacts (mark_id, created_at desc, id desc)
  where rendition_of is null;

-- step: replace the index of each Mark
drop index artifacts_by_mark;
alter index artifacts_by_mark_next rename to artifacts_by_mark;

-- step: complete the responses that are kept for retries, and record certificates
-- original without: alter table artifacts | create index artifacts_renditions | drop index artifacts_by_mark | create index artifacts_by_mark
