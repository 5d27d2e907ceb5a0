-- Signed downloads: a filter and a snapshot of all fingerprints, in files whose names are the hashes of their content.

-- The index of the current version, and when the next one is due. A worker that makes one moves that time ahead of it.
create table downloads (
  only_row boolean primary key default true check (only_row),
  jws text,                              -- null until the first version
  last_attempt_at timestamptz not null default now(),
  holder uuid,                           -- the worker that makes the next version
  held_until timestamptz
);
insert into downloads default values;

-- Written before the file is published, so that no file is left behind.
create table download_files (
  name text primary key,
  is_published boolean not null default false,
  unused_since timestamptz               -- null while the index or a version in progress names it
);
