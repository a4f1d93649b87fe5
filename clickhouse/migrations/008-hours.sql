-- Documents of hours, one row per machine and UTC hour: reports add them up, and show what they hold.
-- A correction is a row with a higher version, so that an hour changes as one and repeating it changes nothing. Offsets are ms
-- from the slot; the arrays of one group have one length:
--   - facts: measures that add up, per cell and dimensions (a cell is the part of the hour in one local hour and one shop day)
--   - downtime: pieces of downtime, cut at cells and dimensions; record_start_ms: when the whole record began, UTC ms
--   - alarm: alarm instances that are active in the hour; end_ms: UTC ms, 9007199254740991 while the instance goes on after the
--     hour
--   - setup: runs that start in setup
--   - segment: pieces of the hour on which the state is constant: reports read them for the cut hours at the ends of their
--     range. status: 0 UNAVAILABLE, 1 INACTIVE, 2 ACTIVE, 3 FAULT; reason says why where down
--   - part: parts that the machine made at an instant
--   - adjustment: adjustments at theirs; type: the adjustment type's id, 0 uncategorized
-- mode: 0 none, 1 setup, 2 production; level: 1 WARNING, 2 FAULT; reason: 0 uncategorized, -1 setup. state_out: what the next
-- hour starts from.
-- All of a document is one row of one table: an insert costs by parts and hardly by columns, and machines at rest write small
-- inserts all day. Time comes first in the order: a whole plant's hour is one range.
-- Reports read facts and downtime far more often than anything else, and unpacking was the larger part of a report: LZ4 unpacks
-- in half of ZSTD's time. Lists that are mostly empty and hashes have LZ4 too: a small insert pays for each block of ZSTD, a tenth of
-- its time in all, and the disk gains 1% by it.
-- Parts are months, and years where they are older than the product: a machine whose first sample is dated 2010 has documents of
-- hours in all of that time, and a part costs more than its rows. Later months stay apart, as a late sample has its part merged anew.
-- A part is one file up to 256 MB: a part of many files costs by their number, and the documents of the hour are written anew all the time.
-- Documents from a version on are few, and mostly the newest: the index finds them without a look at the others.
CREATE TABLE IF NOT EXISTS hours (
  company                  UInt32,
  machine                  UInt32,
  slot                     DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
  version                  UInt64 CODEC(ZSTD(1)),
  facts_cell               Array(UInt32) CODEC(LZ4),
  facts_shift              Array(UInt32) CODEC(LZ4),
  facts_run                Array(UInt32) CODEC(LZ4),
  facts_operators          Array(Array(UInt32)) CODEC(LZ4),
  facts_mode               Array(UInt8) CODEC(LZ4),
  facts_scheduled          Array(UInt8) CODEC(LZ4),
  facts_non_optional       Array(UInt8) CODEC(LZ4),
  facts_first              Array(UInt32) CODEC(LZ4),
  facts_last               Array(UInt32) CODEC(LZ4),
  facts_duration_ms        Array(UInt32) CODEC(LZ4),
  facts_in_cycle_ms        Array(UInt32) CODEC(LZ4),
  facts_spindle_ms         Array(UInt32) CODEC(LZ4),
  facts_cut_ms             Array(UInt32) CODEC(LZ4),
  facts_parts              Array(Float64) CODEC(LZ4),
  facts_adjusted           Array(Float64) CODEC(LZ4),
  facts_scrap              Array(Float64) CODEC(LZ4),
  facts_nonconform         Array(Float64) CODEC(LZ4),
  downtime_cell            Array(UInt32) CODEC(LZ4),
  downtime_shift           Array(UInt32) CODEC(LZ4),
  downtime_run             Array(UInt32) CODEC(LZ4),
  downtime_operators       Array(Array(UInt32)) CODEC(LZ4),
  downtime_mode            Array(UInt8) CODEC(LZ4),
  downtime_scheduled       Array(UInt8) CODEC(LZ4),
  downtime_non_optional    Array(UInt8) CODEC(LZ4),
  downtime_start           Array(UInt32) CODEC(LZ4),
  downtime_end             Array(UInt32) CODEC(LZ4),
  downtime_reason          Array(Int32) CODEC(LZ4),
  downtime_record_start_ms Array(Int64) CODEC(LZ4),
  alarm_key                Array(LowCardinality(String)),
  alarm_code               Array(LowCardinality(String)),
  alarm_message            Array(String) CODEC(ZSTD(1)),
  alarm_level              Array(UInt8) CODEC(LZ4),
  alarm_start_ms           Array(Int64) CODEC(LZ4),
  alarm_end_ms             Array(Int64) CODEC(LZ4),
  setup_at                 Array(UInt32) CODEC(LZ4),
  setup_shift              Array(UInt32) CODEC(LZ4),
  setup_run                Array(UInt32) CODEC(LZ4),
  setup_operators          Array(Array(UInt32)) CODEC(LZ4),
  setup_mode               Array(UInt8) CODEC(LZ4),
  setup_scheduled          Array(UInt8) CODEC(LZ4),
  setup_non_optional       Array(UInt8) CODEC(LZ4),
  hash_in                  UInt64 CODEC(LZ4),
  hash_out                 UInt64 CODEC(LZ4),
  segment_cell             Array(UInt32) CODEC(ZSTD(1)),
  segment_start            Array(UInt32) CODEC(ZSTD(1)),
  segment_end              Array(UInt32) CODEC(ZSTD(1)),
  segment_status           Array(UInt8) CODEC(ZSTD(1)),
  segment_in_cycle         Array(UInt8) CODEC(ZSTD(1)),
  segment_spindle          Array(UInt8) CODEC(ZSTD(1)),
  segment_cut              Array(UInt8) CODEC(ZSTD(1)),
  segment_down             Array(UInt8) CODEC(ZSTD(1)),
  segment_reason           Array(Int32) CODEC(ZSTD(1)),
  segment_shift            Array(UInt32) CODEC(ZSTD(1)),
  segment_run              Array(UInt32) CODEC(ZSTD(1)),
  segment_operators        Array(Array(UInt32)) CODEC(ZSTD(1)),
  segment_mode             Array(UInt8) CODEC(ZSTD(1)),
  segment_scheduled        Array(UInt8) CODEC(ZSTD(1)),
  segment_non_optional     Array(UInt8) CODEC(ZSTD(1)),
  state_out                String CODEC(ZSTD(3)),
  part_cell                Array(UInt32) CODEC(ZSTD(1)),
  part_at                  Array(UInt32) CODEC(ZSTD(1)),
  part_count               Array(Float64) CODEC(ZSTD(1)),
  part_shift               Array(UInt32) CODEC(ZSTD(1)),
  part_run                 Array(UInt32) CODEC(ZSTD(1)),
  part_operators           Array(Array(UInt32)) CODEC(ZSTD(1)),
  part_mode                Array(UInt8) CODEC(ZSTD(1)),
  part_scheduled           Array(UInt8) CODEC(ZSTD(1)),
  part_non_optional        Array(UInt8) CODEC(ZSTD(1)),
  adjustment_cell          Array(UInt32) CODEC(LZ4),
  adjustment_at            Array(UInt32) CODEC(LZ4),
  adjustment_count         Array(Float64) CODEC(LZ4),
  adjustment_scrap         Array(Float64) CODEC(LZ4),
  adjustment_nonconform    Array(Float64) CODEC(LZ4),
  adjustment_type          Array(Int32) CODEC(LZ4),
  adjustment_shift         Array(UInt32) CODEC(LZ4),
  adjustment_run           Array(UInt32) CODEC(LZ4),
  adjustment_operators     Array(Array(UInt32)) CODEC(LZ4),
  adjustment_mode          Array(UInt8) CODEC(LZ4),
  adjustment_scheduled     Array(UInt8) CODEC(LZ4),
  adjustment_non_optional  Array(UInt8) CODEC(LZ4),
  INDEX by_version version TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
PARTITION BY if(slot < toDateTime('2025-01-01 00:00:00', 'UTC'), toYear(slot) * 100, toYYYYMM(slot))
ORDER BY (company, slot, machine)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120, min_bytes_for_wide_part = 268435456;
