#!/usr/bin/env bash
# A base backup of the database server, checked, with its time for Prometheus. Run it every night, as PostgreSQL's user.
# BACKUP_DIR: where to; REPLICATION_URL: the server, as a role that may replicate; BACKUPS_KEPT: older ones are removed;
# METRICS_DIR: the folder that the node exporter reads with --collector.textfile.directory.
set -euo pipefail

name=base-$(date --utc +%Y%m%dT%H%M%SZ)
pg_basebackup --dbname="$REPLICATION_URL" --pgdata="$BACKUP_DIR/$name.part" --checkpoint=fast --wal-method=stream
pg_verifybackup --quiet "$BACKUP_DIR/$name.part"
mv "$BACKUP_DIR/$name.part" "$BACKUP_DIR/$name"

find "$BACKUP_DIR" -maxdepth 1 -name 'base-*Z' | sort | head --lines="-${BACKUPS_KEPT:-7}" | xargs --no-run-if-empty rm -r
# The log before the oldest backup is needed for nothing.
oldest=$(find "$BACKUP_DIR" -maxdepth 1 -name 'base-*Z' | sort | head --lines=1)
first=$(sed --quiet 's/^START WAL LOCATION:.*(file \(.*\))$/\1/p' "$oldest/backup_label")
for path in "$BACKUP_DIR"/wal/*; do
  segment=${path##*/}
  if [[ $segment != *.history && $segment < $first ]]; then rm "$path"; fi
done

if [ -n "${METRICS_DIR:-}" ]; then
  echo "registry_backup_timestamp_seconds $(date +%s)" >"$METRICS_DIR/registry_backup.prom.part"
  mv "$METRICS_DIR/registry_backup.prom.part" "$METRICS_DIR/registry_backup.prom"
fi
