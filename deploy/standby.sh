#!/usr/bin/env bash
# A copy of the database server that follows it. The first start copies everything; later ones go on from there.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  pg_basebackup --host="$PRIMARY_HOST" --username=replicator --pgdata="$PGDATA" \
    --slot=standby --write-recovery-conf --wal-method=stream --checkpoint=fast
  chmod 700 "$PGDATA"
fi
exec postgres -c cluster_name=standby
