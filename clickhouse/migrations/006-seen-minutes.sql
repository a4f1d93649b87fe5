-- First and last sample of any key per machine and UTC minute, as ms within the minute. Gaps of 60 s and more are exact, so
-- that it can be recomputed when a machine fell silent after its samples are gone. Repeats and late rows merge by min and max.
-- Merges wait for many small parts, as those of raw samples do.
CREATE TABLE IF NOT EXISTS seen_minutes (
  company  UInt32,
  machine  UInt32,
  minute   DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  first_ms SimpleAggregateFunction(min, UInt16) CODEC(ZSTD(1)),
  last_ms  SimpleAggregateFunction(max, UInt16) CODEC(ZSTD(1))
) ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (company, toDate(minute), machine, minute)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, merge_selector_base = 20;
