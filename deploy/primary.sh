#!/usr/bin/env bash
# Runs once, when the database server's folder is made: the standby may log in, and finds kept what it has not had yet.
set -euo pipefail

psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
  --set=password="$REPLICATION_PASSWORD" <<'SQL'
create role replicator with login replication password :'password';
select pg_create_physical_replication_slot('standby');
alter system set max_slot_wal_keep_size = '10GB';
-- From the next start on, which follows at once: an answer means that the standby has it, too.
alter system set synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
