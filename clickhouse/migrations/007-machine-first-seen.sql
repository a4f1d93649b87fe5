-- When each machine was first seen: asking all minutes of all years would read them all. It is a minimum of values that never
-- change. The processors write it, and only where it is earlier than what they know: a view would make a part of every insert.
CREATE TABLE IF NOT EXISTS machine_first_seen (
  company  UInt32,
  machine  UInt32,
  first_ms SimpleAggregateFunction(min, Int64)
) ENGINE = AggregatingMergeTree
ORDER BY (company, machine)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
