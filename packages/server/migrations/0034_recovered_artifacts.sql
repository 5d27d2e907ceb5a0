-- Artifacts that were brought back after the database had been restored from an older backup.

-- step: mark recovered Artifacts
-- Null: recorded by a creation, or recovered completely. Otherwise the metadata lack what only the lost row had.
alter table artifacts add column recovered_at timestamptz;

-- step: find entries on chain by the ids of lost Artifacts
create index concurrently chain_entries_without_artifact on chain_entries (manifest_id) where source = 1 and not is_own;
