-- Marks machines whose hours in a covered day were rewritten: set before that happens, and until their row in `days` is made
-- again.
CREATE TABLE IF NOT EXISTS stale_days (
  company  UInt32,
  start_ms Int64,
  end_ms   Int64,
  machine  UInt32,
  stale    UInt8,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, end_ms, machine)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
