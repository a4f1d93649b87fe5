-- Up to which version of its documents a partition of state samples has announced their alarm instances: a processor that takes
-- it over goes on there.
CREATE TABLE IF NOT EXISTS alarm_progress (
  partition UInt32,
  version   UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
