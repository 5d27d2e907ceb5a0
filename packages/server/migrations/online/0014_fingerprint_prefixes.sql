-- step: index the fingerprints
create unique index concurrently artifacts_by_fingerprint_next on artifacts (fingerprint)
  include (id, rendition_of, mark_id) where error_reason is null;

-- step: replace the index of fingerprints
drop index artifacts_by_fingerprint;
alter index artifacts_by_fingerprint_next rename to artifacts_by_fingerprint;

-- step: mark the entries of others
-- original without: drop index artifacts_by_fingerprint | create unique index artifacts_by_fingerprint | create index chain_entries_of_others | create index marks_private

-- step: index the entries of others
create index concurrently chain_entries_of_others on chain_entries (fingerprint, source) include (manifest_id)
  where not is_own;

-- step: index the private Marks
create index concurrently marks_private on marks (id) where visibility = 'private';
