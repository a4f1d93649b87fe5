-- Documents of hours, one row per machine and UTC hour: what reports add up.
-- A correction is a row with a higher version, so that an hour changes as one and repeating it changes nothing. Offsets are ms
-- from the slot; the arrays of one group have one length:
--   - facts: measures that add up, per cell and dimensions (a cell is the part of the hour in one local hour and one shop day)
--   - downtime: pieces of downtime, cut at cells and dimensions; record_start_ms: when the whole record began, UTC ms
--   - alarm: alarm instances that are active in the hour; end_ms: UTC ms, 9007199254740991 while the instance goes on after the
--     hour
--   - setup: runs that start in setup
-- mode: 0 none, 1 setup, 2 production; level: 1 WARNING, 2 FAULT; reason: 0 uncategorized, -1 setup.
-- Reports read facts and downtime far more often than anything else, and unpacking was the larger part of a report: LZ4 unpacks
-- in half of ZSTD's time.
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
  alarm_level              Array(UInt8) CODEC(ZSTD(1)),
  alarm_start_ms           Array(Int64) CODEC(ZSTD(1)),
  alarm_end_ms             Array(Int64) CODEC(ZSTD(1)),
  setup_at                 Array(UInt32) CODEC(LZ4),
  setup_shift              Array(UInt32) CODEC(LZ4),
  setup_run                Array(UInt32) CODEC(LZ4),
  setup_operators          Array(Array(UInt32)) CODEC(LZ4),
  setup_mode               Array(UInt8) CODEC(LZ4),
  setup_scheduled          Array(UInt8) CODEC(LZ4),
  setup_non_optional       Array(UInt8) CODEC(LZ4),
  hash_in                  UInt64 CODEC(ZSTD(1)),
  hash_out                 UInt64 CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(slot)
ORDER BY (company, toDate(slot), machine, slot)
SETTINGS min_age_to_force_merge_seconds = 86400, min_age_to_force_merge_on_partition_only = 1,
  fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 480;
