#!/usr/bin/env bash
# Runs once, when the database is initialized: creates the standby's role, and a slot that keeps WAL until it is replicated.
set -euo pipefail

psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
  --set=password="$(cat "$REPLICATION_PASSWORD_FILE")" <<'SQL'
create role replicator with login replication password :'password';
select pg_create_physical_replication_slot('standby');
alter system set max_slot_wal_keep_size = '10GB';
-- Effective from the restart that follows: a commit is acknowledged only once the standby has it.
alter system set synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
