-- Parts that a machine made at an instant, and adjustments at theirs, in the order of time: cut hours and the timeline read
-- them. Copies of the documents in `hours`, with the same versions, so that a copy that a crash left out is found by its
-- version.
-- adjustment_type: the adjustment type's id, 0 uncategorized.
CREATE TABLE IF NOT EXISTS part_states (
  company                 UInt32,
  machine                 UInt32,
  slot                    DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version                 UInt64 CODEC(ZSTD(1)),
  part_cell               Array(UInt32) CODEC(ZSTD(1)),
  part_at                 Array(UInt32) CODEC(ZSTD(1)),
  part_count              Array(Float64) CODEC(ZSTD(1)),
  part_shift              Array(UInt32) CODEC(ZSTD(1)),
  part_run                Array(UInt32) CODEC(ZSTD(1)),
  part_operators          Array(Array(UInt32)) CODEC(ZSTD(1)),
  part_mode               Array(UInt8) CODEC(ZSTD(1)),
  part_scheduled          Array(UInt8) CODEC(ZSTD(1)),
  part_non_optional       Array(UInt8) CODEC(ZSTD(1)),
  adjustment_cell         Array(UInt32) CODEC(ZSTD(1)),
  adjustment_at           Array(UInt32) CODEC(ZSTD(1)),
  adjustment_count        Array(Float64) CODEC(ZSTD(1)),
  adjustment_scrap        Array(Float64) CODEC(ZSTD(1)),
  adjustment_nonconform   Array(Float64) CODEC(ZSTD(1)),
  adjustment_type         Array(Int32) CODEC(ZSTD(1)),
  adjustment_shift        Array(UInt32) CODEC(ZSTD(1)),
  adjustment_run          Array(UInt32) CODEC(ZSTD(1)),
  adjustment_operators    Array(Array(UInt32)) CODEC(ZSTD(1)),
  adjustment_mode         Array(UInt8) CODEC(ZSTD(1)),
  adjustment_scheduled    Array(UInt8) CODEC(ZSTD(1)),
  adjustment_non_optional Array(UInt8) CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
