-- Which days a partition of state samples vouches for: every machine of the company that it owns and that has hours in the day
-- has a row in `days`. A day counts where all partitions vouch for it.
-- Beside its days a partition has one row with start_ms = end_ms = 0, the ownership row. Only days of its `epoch` count (a
-- process that takes the partition over begins a new one, and so does a change of calendar: one row voids all days), and before
-- first_ms its machines have no hours, so that it vouches for all days up to there. partitions: how many there are.
-- All is in one table without partitions, so that an insert of an epoch and its days is one.
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
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
