-- Alarm instances that are active in an hour, in the order of time: pages of alarm instances read single hours. Copies of the
-- documents in `hours`, with the same versions, so that a copy that a crash left out is found by its version.
-- Documents from a version on are few, and mostly the newest: the index finds them without a look at the others.
CREATE TABLE IF NOT EXISTS alarm_states (
  company          UInt32,
  machine          UInt32,
  slot             DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version          UInt64 CODEC(ZSTD(1)),
  alarm_key        Array(LowCardinality(String)),
  alarm_code       Array(LowCardinality(String)),
  alarm_message    Array(String) CODEC(ZSTD(1)),
  alarm_level      Array(UInt8) CODEC(ZSTD(1)),
  alarm_start_ms   Array(Int64) CODEC(ZSTD(1)),
  alarm_end_ms     Array(Int64) CODEC(ZSTD(1)),
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
