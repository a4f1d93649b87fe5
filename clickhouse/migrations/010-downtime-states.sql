-- Pieces of downtime, in the order of time. Copies of the documents in `hours`, with the same versions, so that a copy that a
-- crash left out is found by its version.
CREATE TABLE IF NOT EXISTS downtime_states (
  company                  UInt32,
  machine                  UInt32,
  slot                     DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version                  UInt64 CODEC(ZSTD(1)),
  downtime_cell            Array(UInt32) CODEC(ZSTD(1)),
  downtime_shift           Array(UInt32) CODEC(ZSTD(1)),
  downtime_run             Array(UInt32) CODEC(ZSTD(1)),
  downtime_operators       Array(Array(UInt32)) CODEC(ZSTD(1)),
  downtime_mode            Array(UInt8) CODEC(ZSTD(1)),
  downtime_scheduled       Array(UInt8) CODEC(ZSTD(1)),
  downtime_non_optional    Array(UInt8) CODEC(ZSTD(1)),
  downtime_start           Array(UInt32) CODEC(ZSTD(1)),
  downtime_end             Array(UInt32) CODEC(ZSTD(1)),
  downtime_reason          Array(Int32) CODEC(ZSTD(1)),
  downtime_record_start_ms Array(Int64) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
