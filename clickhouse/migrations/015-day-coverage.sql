-- Days that a partition of state samples covers: each machine of the company that the partition owns and that has hours in
-- the day has a row in `days`. A day may be read where all partitions cover it.
-- Besides its days, a partition has one ownership row, with start_ms = end_ms = 0. Only days with the epoch of the ownership
-- row count. A process that takes the partition over begins a new epoch, and so does a change of calendar: one new row voids
-- all earlier days. first_ms: the partition's machines have no hours before it, so the partition covers all days up to it.
-- partitions: the number of partitions.
-- The table has no partitions of its own, so that one insert takes an epoch and its days, all or nothing.
CREATE TABLE IF NOT EXISTS day_coverage (
  company    UInt32,
  start_ms   Int64,
  end_ms     Int64,
  partition  UInt32,
  partitions UInt32,
  covered    UInt8,
  first_ms   Int64,
  epoch      UInt64,
  version    UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, end_ms, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
