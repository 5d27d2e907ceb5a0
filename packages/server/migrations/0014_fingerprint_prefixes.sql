-- The fingerprints below a prefix are read from indexes alone: their rows are scattered over the whole tables.

drop index artifacts_by_fingerprint;
create unique index artifacts_by_fingerprint on artifacts (fingerprint) include (id, rendition_of, mark_id)
  where error_reason is null;

-- An Artifact had the fingerprint when the entry was mirrored. Artifacts on chain are never removed, so that lists of entries
-- of others can do without these: nearly all, in a registry with a contract of its own.
alter table chain_entries add column is_own boolean not null default false;
create index chain_entries_of_others on chain_entries (fingerprint, source) include (manifest_id) where not is_own;

-- Whose Artifacts are listed without their Mark.
create index marks_private on marks (id) where visibility = 'private';
