-- The files of a Mark by their names: the first 100 characters, because an entry of an index holds 2,700 bytes at most. By code
-- points, because the order of languages differs between versions of the server's libraries.

create index artifacts_by_mark_and_name
  on artifacts (mark_id, left(lower((metadata ->> 'filename') collate "C"), 100), id) where rendition_of is null;
