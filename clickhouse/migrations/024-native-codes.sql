-- Ints given out to what groups alarms by native code: one per distinct code, message and level. A filter by an id asks what
-- the id stands for.
CREATE TABLE IF NOT EXISTS native_codes (
  company     UInt32,
  code        String,
  message     String,
  level       UInt8,
  id          Int32,
  version     UInt64,
  INDEX by_id id TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
ORDER BY (company, code, message, level)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
