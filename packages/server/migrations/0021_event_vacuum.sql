-- Giving a position leaves an entry in the index of events without one, which each look for new events passes until it is
-- vacuumed: a million of them take 15 ms. By default, a fifth of the table would have to change first.
alter table events set (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 10000,
  vacuum_index_cleanup = on
);
