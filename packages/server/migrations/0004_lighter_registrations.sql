-- What is signed holds the call as well, and cannot be made smaller.
alter table chain_transactions drop column calldata;
alter table chain_attempts alter column raw set storage external;

-- An Artifact's status changes twice on its way to the chain. While no index asks for the status, PostgreSQL writes such
-- a change beside the old row, where there is room, and leaves the indexes alone. A reason is there exactly when the
-- status is failed (3).
drop index artifacts_by_fingerprint;
create unique index artifacts_by_fingerprint on artifacts (fingerprint) where error_reason is null;
drop index artifacts_failed_by_fingerprint;
create index artifacts_failed_by_fingerprint on artifacts (fingerprint) where error_reason is not null;
alter table artifacts set (fillfactor = 70);
