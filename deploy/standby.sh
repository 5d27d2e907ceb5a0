#!/usr/bin/env bash
# A streaming standby of the database server. The first start makes a base backup; later ones continue from there.
set -euo pipefail

PGPASSWORD=$(cat "$REPLICATION_PASSWORD_FILE")
export PGPASSWORD

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  pg_basebackup --host="$PRIMARY_HOST" --username=replicator --pgdata="$PGDATA" \
    --slot=standby --write-recovery-conf --wal-method=stream --checkpoint=fast
  chmod 700 "$PGDATA"
fi
exec postgres -c cluster_name=standby
