-- Segments of an hour on which a machine's state is constant: the cut hours at the ends of a report's range and a page's
-- timeline read them, so time comes first in the order: a whole plant's hour is one range. Copies of the documents in `hours`,
-- with the same versions, so that a copy that a crash left out is found by its version.
-- segment: status is 0 UNAVAILABLE, 1 INACTIVE, 2 ACTIVE, 3 FAULT; reason says why where down. state_out: what the next hour
-- starts from.
CREATE TABLE IF NOT EXISTS cycle_states (
  company              UInt32,
  machine              UInt32,
  slot                 DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version              UInt64 CODEC(ZSTD(1)),
  segment_cell         Array(UInt32) CODEC(ZSTD(1)),
  segment_start        Array(UInt32) CODEC(ZSTD(1)),
  segment_end          Array(UInt32) CODEC(ZSTD(1)),
  segment_status       Array(UInt8) CODEC(ZSTD(1)),
  segment_in_cycle     Array(UInt8) CODEC(ZSTD(1)),
  segment_spindle      Array(UInt8) CODEC(ZSTD(1)),
  segment_cut          Array(UInt8) CODEC(ZSTD(1)),
  segment_down         Array(UInt8) CODEC(ZSTD(1)),
  segment_reason       Array(Int32) CODEC(ZSTD(1)),
  segment_shift        Array(UInt32) CODEC(ZSTD(1)),
  segment_run          Array(UInt32) CODEC(ZSTD(1)),
  segment_operators    Array(Array(UInt32)) CODEC(ZSTD(1)),
  segment_mode         Array(UInt8) CODEC(ZSTD(1)),
  segment_scheduled    Array(UInt8) CODEC(ZSTD(1)),
  segment_non_optional Array(UInt8) CODEC(ZSTD(1)),
  setup_at             Array(UInt32) CODEC(ZSTD(1)),
  setup_shift          Array(UInt32) CODEC(ZSTD(1)),
  setup_run            Array(UInt32) CODEC(ZSTD(1)),
  setup_operators      Array(Array(UInt32)) CODEC(ZSTD(1)),
  setup_mode           Array(UInt8) CODEC(ZSTD(1)),
  setup_scheduled      Array(UInt8) CODEC(ZSTD(1)),
  setup_non_optional   Array(UInt8) CODEC(ZSTD(1)),
  state_out            String CODEC(ZSTD(3))
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
