-- How far the records are worked into the documents of each partition of state samples: a processor that takes the partition
-- over goes on there.
CREATE TABLE IF NOT EXISTS process_progress (
  partition      UInt32,
  records_offset Int64,
  version        UInt64
) ENGINE = ReplacingMergeTree(version)
ORDER BY partition
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;
