-- Ints given out to alarm instances, in the two orders that pages of them are read in: each page is a short range. An instance
-- is (machine, key, code, start, level); its id stays whatever is recomputed.
-- `alarm_ids_by_id` is written first and `alarm_ids` decides what has an id: an id that a crash left in the first one alone is
-- given out again, and the later row stands.
CREATE TABLE IF NOT EXISTS alarm_ids (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, start_ms, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS alarm_ids_by_id (
  company  UInt32,
  machine  UInt32,
  key      LowCardinality(String),
  code     LowCardinality(String),
  level    UInt8,
  start_ms Int64,
  id       Int32,
  version  UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
